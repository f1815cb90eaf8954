import type { EvmRailValue } from '@countersign/contract/connectors/rails-file'
import { CURRENCIES, isKnownCurrency } from '@countersign/contract/core/currencies'
import { formatDecimal } from '../../base/formats/decimal.ts'
import type { Hex } from '../../base/formats/hex.ts'
import { toLowerHex } from '../../base/formats/hex.ts'
import { CHAIN_COINS } from '../../base/pricing/network-fees.ts'
import { addSeconds } from '../../kernel/operation/app.ts'
import type { ChainLevel } from '../../kernel/ports/chain-level.ts'
import type { ChainBalance } from '../../kernel/ports/metrics.ts'
import type { ReadsFrom } from '../../kernel/ports/rail.ts'
import { type EvmRail, listGasNames, TREASURY } from './evm-rail.ts'
import { selectPaidOutSince } from './store.ts'
import { readTokenBalance } from './token-balance.ts'
import { computeTransferCost } from './transfer-fee.ts'

/** A gas account is low if it cannot pay for this many transfers, unless the rails file sets a mark. */
const TRANSFERS_DEFAULT = 100
const COIN_DECIMALS = 18
const DAY_SECONDS = 86_400

/** Reads the current balances and low-water marks of a chain's accounts. Throws NodeError. */
export async function readLevels(
  from: Pick<ReadsFrom, 'db'>,
  rail: EvmRail,
  now: Date,
): Promise<readonly ChainLevel[]> {
  const { entry, chain, gas } = rail
  const gasMark = await computeGasLowWater(rail)
  const payers = listGasNames(entry).map((name, index) => [name, gas[index]] as const)
  const hasPlainTokens = entry.tokens.some(({ standard }) => standard === 'ERC20')
  const coins = await Promise.all(
    [...payers, ...(hasPlainTokens ? [[TREASURY, chain.treasury] as const] : [])].map(([name, address]) =>
      readCoinLevel(rail, name, address, gasMark),
    ),
  )
  const paidOut = await selectPaidOutSince(from, rail.name, chain.treasury, addSeconds(now, -DAY_SECONDS))
  const tokens = await Promise.all(entry.tokens.map((token) => readTokenLevel(rail, token, paidOut)))
  return [...coins.flat(), ...(await readRetiredCoins(rail)), ...tokens.flat()]
}

/**
 * Reads the coin left at retired treasury addresses, which pays the gas for tokens that arrive later. These
 * levels have no low-water mark.
 */
async function readRetiredCoins(rail: EvmRail): Promise<ChainLevel[]> {
  const levels = await Promise.all(
    rail.retired.map((address) => readCoinLevel(rail, `RETIRED ${TREASURY} ${address}`, address, 0n)),
  )
  return levels.flat().filter(({ balance }) => balance > 0n)
}

/** The cost of `transfers` transfers of the most expensive kind at current fees, in wei. */
async function computeGasLowWater({ entry, nodes }: EvmRail): Promise<bigint> {
  const { transfers = TRANSFERS_DEFAULT } = entry.lowWater ?? {}
  const fees = await nodes.fees()
  const costs = entry.tokens.map(({ standard }) => computeTransferCost(entry, fees, standard, transfers))
  return costs.reduce((highest, cost) => (cost > highest ? cost : highest), 0n)
}

async function readCoinLevel(
  { entry, nodes }: EvmRail,
  account: string,
  address: Hex | undefined,
  lowWater: bigint,
): Promise<ChainLevel[]> {
  if (!address) return []
  const balance = await nodes.nativeBalance(address)
  return [{ account, asset: CHAIN_COINS[entry.network], decimals: COIN_DECIMALS, balance, lowWater }]
}

/**
 * The treasury is low if it has less than the mark in the rails file, or, without a mark, less than it paid
 * out in the last day.
 */
async function readTokenLevel(
  { entry, nodes, chain }: EvmRail,
  { currency, address }: EvmRailValue['tokens'][number],
  paidOut: ReadonlyMap<string, bigint>,
): Promise<ChainLevel[]> {
  if (!isKnownCurrency(currency)) return []
  const configuredMark = entry.lowWater?.treasury?.find((mark) => mark.currency === currency)?.amount
  const lowWater = configuredMark ?? paidOut.get(currency) ?? 0n
  const balance = await readTokenBalance(nodes, toLowerHex(address), chain.treasury)
  return [{ account: TREASURY, asset: currency, decimals: CURRENCIES[currency].decimals, balance, lowWater }]
}

/** Describes the accounts that are low, in sentences for an operator. */
export function describeLowLevels(levels: readonly ChainLevel[]): string[] {
  return levels.flatMap(({ account, asset, decimals, balance, lowWater }) => {
    const name = account.toLowerCase()
    // An account without coin blocks every payment; one without a token blocks only payments in that token.
    if (balance === 0n && decimals === COIN_DECIMALS) return [`The ${name} account has no ${asset} for gas.`]
    if (balance >= lowWater) return []
    const [current, mark] = [balance, lowWater].map((amount) => formatDecimal(amount, decimals))
    return [`The ${name} account has ${current} ${asset}, below its low-water mark of ${mark} ${asset}.`]
  })
}

/** The levels for the metrics, in whole coins and whole currency units. */
export function toBalanceMetrics(levels: readonly ChainLevel[]): ChainBalance[] {
  return levels.map(({ account, asset, decimals, balance, lowWater }) => ({
    account,
    asset,
    balance: Number(formatDecimal(balance, decimals)),
    lowWater: Number(formatDecimal(lowWater, decimals)),
  }))
}
