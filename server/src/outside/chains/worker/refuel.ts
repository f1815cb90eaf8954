import type { ChainWorker } from '../evm-rail.ts'
import type { Faucet } from '../faucet.ts'

const REFUEL_MS = 10_000

/** A gas account that has less than this receives this amount. */
const GAS_WEI = 10n ** 18n

const refueledAtMs = new WeakMap<Faucet, number>()

/** Funds the gas accounts of a chain that has a faucet, so that nobody has to do it on a local chain. */
export async function refuelGasAccounts({ app, rail }: ChainWorker): Promise<void> {
  const { faucet, nodes, gas } = rail
  if (!faucet) return
  const nowMs = app.clock().getTime()
  if (nowMs < (refueledAtMs.get(faucet) ?? 0) + REFUEL_MS) return
  refueledAtMs.set(faucet, nowMs)
  for (const address of gas)
    if ((await nodes.coin(address)) < GAS_WEI) await faucet.sendCoin(address, GAS_WEI)
}
