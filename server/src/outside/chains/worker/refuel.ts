import type { ChainWorker } from '../evm-rail.ts'
import type { Faucet } from '../faucet.ts'

const REFUEL_INTERVAL_MS = 10_000

/** The minimum gas balance, and the amount of each top-up. */
const TOP_UP_WEI = 10n ** 18n

const refueledAtMs = new WeakMap<Faucet, number>()

/** Tops up the gas accounts of a chain that has a faucet, so that local chains need no manual funding. */
export async function refuelGasAccounts({ app, rail }: ChainWorker): Promise<void> {
  const { faucet, nodes, gas } = rail
  if (!faucet) return
  const nowMs = app.clock().getTime()
  if (nowMs < (refueledAtMs.get(faucet) ?? 0) + REFUEL_INTERVAL_MS) return
  refueledAtMs.set(faucet, nowMs)
  for (const address of gas)
    if ((await nodes.nativeBalance(address)) < TOP_UP_WEI) await faucet.sendCoin(address, TOP_UP_WEI)
}
