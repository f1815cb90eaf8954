import type { EvmRailValue } from '@countersign/contract/connectors/rails-file'
import { CURRENCIES, isKnownCurrency } from '@countersign/contract/core/currencies'
import { toChecksumAddress } from '../../base/formats/addresses.ts'
import { formatDecimal } from '../../base/formats/decimal.ts'
import type { Hex } from '../../base/formats/hex.ts'
import { toLowerHex } from '../../base/formats/hex.ts'
import { getErrorMessage } from '../../base/formats/thrown-errors.ts'
import { CHAIN_COINS } from '../../base/pricing/network-fees.ts'
import { type App, addSeconds } from '../../kernel/operation/app.ts'
import type { ChainLevel } from '../../kernel/ports/chain-level.ts'
import { type ChainBlock, toBlockTime } from '../../kernel/ports/chain-nodes.ts'
import { createRailOp } from '../../money/rails/rail-worker.ts'
import { type EvmRail, isEvmRail, listGasNames } from './evm-rail.ts'
import { describeLowLevels, readLevels } from './levels.ts'
import { findChain } from './records.ts'
import { readTokenBalance } from './token-balance.ts'

/** A chain's status for an operator: name and value pairs, and the problems as sentences. */
export interface ChainReport {
  readonly facts: readonly (readonly [name: string, value: string])[]
  readonly faults: readonly string[]
}

const COIN_DECIMALS = 18
/** A chain that lags further behind than this is reported as a problem. */
const LAG_SECONDS_MAX = 600

/**
 * Reads from a chain's nodes everything that an operator has to monitor. Throws NodeError if none responds.
 */
export async function checkChain(app: App, rail: object, platformId: string): Promise<ChainReport> {
  if (!isEvmRail(rail)) throw new Error('This rail is not on a chain.')
  const { entry, nodes, chain, gas } = rail
  const head = await nodes.head()
  const parts = await Promise.all([
    reportPosition(app, rail, platformId, head),
    { facts: entry.tokens.map((token) => describeToken(rail, token)), faults: [] },
    reportBalances(rail, 'treasury', chain.treasury),
    ...listGasNames(entry).map((name, index) => reportBalances(rail, name.toLowerCase(), gas[index]!)),
    readLevels(app, rail, app.clock()).then((levels) => ({
      facts: levels.map(describeLevel),
      faults: describeLowLevels(levels),
    })),
    Promise.all(rail.nodesByHost.map((node) => reportNode(node, entry.chainId))).then(joinReports),
  ])
  const chainLine = [
    'chain',
    `${entry.network}, id ${entry.chainId}, block ${head.number} of ${toBlockTime(head).toISOString()}`,
  ] as const
  const all = joinReports(parts)
  return { facts: [chainLine, ...all.facts], faults: all.faults }
}

function joinReports(parts: readonly ChainReport[]): ChainReport {
  return { facts: parts.flatMap(({ facts }) => facts), faults: parts.flatMap(({ faults }) => faults) }
}

function describeLevel({ account, asset, decimals, lowWater }: ChainLevel) {
  return [
    `low-water mark of ${account.toLowerCase()}`,
    `${formatDecimal(lowWater, decimals)} ${asset}`,
  ] as const
}

/** Reports the last followed position. Blocks that are not deep enough yet do not count as lag. */
async function reportPosition(
  app: App,
  rail: EvmRail,
  platformId: string,
  head: ChainBlock,
): Promise<ChainReport> {
  const row = await findChain(await createRailOp({ app, rail, platformId }), rail.name)
  if (!row)
    return { facts: [['followed', 'not yet']], faults: ['The server has not started to follow this chain.'] }
  const { followed_block, followed_time } = row
  const lag = head.number - followed_block
  const facts = [['followed', `block ${followed_block}, ${lag} behind the head`]] as const
  const isLate =
    lag > BigInt(rail.entry.confirmations) && addSeconds(followed_time, LAG_SECONDS_MAX) < toBlockTime(head)
  return {
    facts,
    faults: isLate ? [`The server has followed this chain only up to block ${followed_block}.`] : [],
  }
}

function describeToken({ facts }: EvmRail, { currency, address, standard }: EvmRailValue['tokens'][number]) {
  const tokenFacts = facts?.tokens[address.toLowerCase()]
  const domain = tokenFacts?.domain
    ? `, "${tokenFacts.domain.name}" version ${tokenFacts.domain.version}`
    : ''
  const details = tokenFacts ? `${tokenFacts.decimals} decimals${domain}` : 'not read yet'
  return [`token ${currency}`, `${address} ${standard}, ${details}`] as const
}

/** Reports the balances of one of our accounts. */
async function reportBalances(rail: EvmRail, name: string, address: Hex): Promise<ChainReport> {
  const { entry, nodes } = rail
  const asset = CHAIN_COINS[entry.network]
  const [coin, ...tokenBalances] = await Promise.all([
    nodes.nativeBalance(address),
    ...entry.tokens.map(async ({ currency, address: token }) => {
      const amount = await readTokenBalance(nodes, toLowerHex(token), address)
      return `${formatAmount(amount, currency)} ${currency}`
    }),
  ])
  const displayedAddress = toChecksumAddress(address.slice(2))
  const facts = [
    [name, [displayedAddress, `${formatDecimal(coin, COIN_DECIMALS)} ${asset}`, ...tokenBalances].join(', ')],
  ] as const
  return { facts, faults: [] }
}

function formatAmount(amount: bigint, currency: string): string {
  return isKnownCurrency(currency) ? formatDecimal(amount, CURRENCIES[currency].decimals) : String(amount)
}

async function reportNode(
  { host, nodes }: EvmRail['nodesByHost'][number],
  expected: number,
): Promise<ChainReport> {
  const name = `node ${host}`
  try {
    const [chainId, { number }] = await Promise.all([nodes.chainId(), nodes.head()])
    const faults = chainId === expected ? [] : [`The node ${host} is on chain ${chainId}.`]
    return { facts: [[name, `chain id ${chainId}, block ${number}`]], faults }
  } catch (error) {
    const reason = getErrorMessage(error)
    return { facts: [[name, reason]], faults: [`The node ${host} cannot be used: ${reason}.`] }
  }
}
