import { CURRENCIES, isKnownCurrency } from '@countersign/contract/core/currencies'
import { keysOf } from '@countersign/contract/core/objects'
import type { WatchReading } from '@countersign/contract/operation/watch-reading'
import { WATCHES, type WatchName } from '@countersign/contract/operation/watches'
import type { Static } from 'typebox'
import { formatDecimal } from '../../base/formats/decimal.ts'
import { toSystemAccountId } from '../../kernel/ledger/accounts.ts'
import { findBalances } from '../../kernel/ledger/balances.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { ChainLevel } from '../../kernel/ports/chain-level.ts'
import { listOwnRails } from '../../kernel/ports/own-rails.ts'
import { SANDBOX_RAIL } from '../../kernel/ports/rail.ts'
import { getPlatformConfig } from '../../people/platforms/platform-config.ts'
import { selectStatementAges } from './store.ts'

/** A watched value and its limit. Amounts are in the smallest unit. */
export interface Watched {
  readonly watch: WatchName
  readonly subject: string
  readonly unit: string
  readonly decimals: number
  readonly value: bigint
  readonly limit: bigint
}

type Measurement = Omit<Watched, 'watch'>

/** Reads the values of each watch for a platform. */
const READERS: { readonly [Name in WatchName]: (op: Op) => Measurement[] | Promise<Measurement[]> } = {
  RAIL_BALANCE: readRailBalances,
  TREASURY: (op) => readLevels(op, isTreasuryToken),
  GAS_ACCOUNT: (op) => readLevels(op, (level) => !isTreasuryToken(level)),
  FX_POSITION: readPositions,
  RECONCILIATION_AGE: readStatementAges,
  WORKER: readWorkers,
}

/** The platform's watched values, in the order of `WATCHES`. */
export async function readWatches(op: Op, names: readonly WatchName[] = keysOf(WATCHES)): Promise<Watched[]> {
  const all = await Promise.all(
    names.map(async (watch) => (await READERS[watch](op)).map((measurement) => ({ watch, ...measurement }))),
  )
  return all.flat()
}

/** True if the value has crossed its limit and needs attention. */
export function isCrossed({ watch, value, limit }: Watched): boolean {
  return WATCHES[watch].alertsIf === 'below' ? value < limit : value > limit
}

/** A watched value in its API form. */
export function toReadingView(watched: Watched): Static<typeof WatchReading> {
  const { watch, subject, unit, decimals, value, limit } = watched
  return {
    watch,
    subject,
    unit,
    value: formatDecimal(value, decimals),
    limit: formatDecimal(limit, decimals),
    isCrossed: isCrossed(watched),
  }
}

async function readRailBalances(op: Op): Promise<Measurement[]> {
  const { railMarks } = getPlatformConfig(op).watchConfig
  const marks = railMarks.map(({ rail, currencyCode, amount }) => ({
    accountId: toSystemAccountId(
      op.platform.id,
      'rail',
      currencyCode,
      rail === SANDBOX_RAIL ? undefined : rail,
    ),
    subject: rail,
    currency: currencyCode,
    limit: amount,
  }))
  return readMarks(op, marks)
}

async function readPositions(op: Op): Promise<Measurement[]> {
  const { positionMarks } = getPlatformConfig(op).watchConfig
  const marks = positionMarks.map(({ currencyCode, amount }) => ({
    accountId: toSystemAccountId(op.platform.id, 'fx', currencyCode),
    subject: currencyCode,
    currency: currencyCode,
    limit: amount,
  }))
  return readMarks(op, marks)
}

interface Mark {
  readonly accountId: string
  readonly subject: string
  readonly currency: string
  readonly limit: bigint
}

/** The balances of ledger accounts with their marks. An account that was never used has a balance of 0. */
async function readMarks(op: Op, marks: readonly Mark[]): Promise<Measurement[]> {
  const balances = await findBalances(
    op,
    marks.map(({ accountId }) => accountId),
  )
  return marks.map(({ accountId, subject, currency, limit }) => ({
    subject,
    unit: currency,
    decimals: isKnownCurrency(currency) ? CURRENCIES[currency].decimals : 0,
    value: balances.get(accountId)?.total ?? 0n,
    limit,
  }))
}

function isTreasuryToken({ account, asset }: ChainLevel): boolean {
  return account === 'TREASURY' && isKnownCurrency(asset)
}

async function readLevels(op: Op, includes: (level: ChainLevel) => boolean): Promise<Measurement[]> {
  const rails = (await listOwnRails(op.rails, op.platform.id)).filter(({ isRetired }) => !isRetired)
  return rails.flatMap(({ name, chain }) =>
    (chain?.levels() ?? []).filter(includes).map((level) => ({
      subject: isTreasuryToken(level) ? `${name}` : `${name} ${level.account}`,
      unit: level.asset,
      decimals: level.decimals,
      value: level.balance,
      limit: level.lowWater,
    })),
  )
}

const SECONDS = { unit: 's', decimals: 0 } as const

async function readStatementAges(op: Op): Promise<Measurement[]> {
  const rails = (await listOwnRails(op.rails, op.platform.id)).filter(({ isRetired }) => !isRetired)
  if (rails.length === 0) return []
  const names = new Set(rails.map(({ name }) => name))
  const limit = BigInt(getPlatformConfig(op).watchConfig.reconciliationAgeHours) * 3600n
  return (await selectStatementAges(op))
    .filter(({ rail }) => names.has(rail))
    .map(({ rail, currency, received_at }) => ({
      ...SECONDS,
      subject: `${rail} ${currency}`,
      value: toSeconds(op.now.getTime() - received_at.getTime()),
      limit,
    }))
}

/** The background workers of this server process; every process has its own. */
export function readWorkers({ workers }: Pick<Op, 'workers'>): Measurement[] {
  return workers.states().map(({ name, quietMs, limitMs }) => ({
    ...SECONDS,
    subject: name,
    value: toSeconds(quietMs),
    limit: toSeconds(limitMs),
  }))
}

function toSeconds(ms: number): bigint {
  return BigInt(Math.max(0, Math.trunc(ms / 1000)))
}
