import { isKnownCurrency, type KnownCurrency } from '@countersign/contract/core/currencies'
import { requireValue } from '../../base/formats/require-value.ts'
import { toSystemAccountId } from '../../kernel/ledger/accounts.ts'
import type { App, Op } from '../../kernel/operation/app.ts'
import { type Background, runInBackground } from '../../kernel/operation/background.ts'
import { decideAndCommit } from '../../kernel/operation/decide-and-commit.ts'
import { type Rail, withColdStorage } from '../../kernel/ports/rail.ts'
import { operate } from '../../people/platforms/operate.ts'
import { insert } from '../../storage/commit/writes.ts'
import type { RailStatementRow } from '../../storage/rows/reconciliation.ts'
import { lastEnded, listDaysBetween } from './days.ts'
import { bookNextBatch } from './finish-booking.ts'
import { withDifferences } from './handlers.ts'
import { reconcileStatement } from './reconcile.ts'
import { newDay, recordStatement } from './statements.ts'
import { deriveRailStatementId, selectIsUsed, selectLatest, selectStatement } from './store.ts'

const INTERVAL_MS = 10 * 60 * 1000
/** The maximum number of days to request after an outage. */
const DAYS_MAX = 31

/**
 * Starts the worker that requests each rail's missing daily statements, in every currency that the rail has
 * moved.
 */
export function startStatementPolling(app: App): Background {
  const logFailure = (error: unknown) => app.log.error({ err: error }, 'failed to poll statements')
  return runInBackground(INTERVAL_MS, () => requestMissing(app), logFailure, { startsImmediately: true })
}

async function requestMissing(app: App): Promise<void> {
  for (const rail of withColdStorage(app.rails.list()))
    for (const currency of listCurrencies(rail)) {
      const op = await createRailOp(app, rail)
      if (!op || rail.name === null) continue
      const latest = await selectLatest(op, rail.name, currency)
      for (const date of listDaysBetween(latest?.date, lastEnded(op.now, rail), DAYS_MAX))
        await expectStatement(app, op, rail, currency, date).catch((error: unknown) =>
          app.log.warn({ err: error, rail: rail.name, currency, date }, 'could not fetch statement'),
        )
    }
}

/** The currencies that a rail serves. */
export function listCurrencies({ entry }: Rail): KnownCurrency[] {
  return [...new Set((entry?.serves ?? []).flatMap(({ currencies }) => currencies).filter(isKnownCurrency))]
}

/** Creates an operation of the platform that owns a rail. Undefined while the rail has no platform. */
async function createRailOp(app: App, rail: Rail): Promise<Op | undefined> {
  const platformId = await app.rails.ownerOf(rail)
  return platformId === undefined ? undefined : operate(app, platformId)
}

/**
 * Records the statement of a day, or that it is still missing. Does nothing if the rail has neither a
 * statement nor ledger transfers in that currency. Throws if the rail does not respond.
 */
async function expectStatement(
  app: App,
  op: Op,
  rail: Rail,
  currency: KnownCurrency,
  date: string,
): Promise<void> {
  const { name } = rail
  if (name === null) return
  const id = deriveRailStatementId(name, currency, date)
  if (await hasArrived(op, id)) return
  const statement = await rail.statement?.(date, currency, op)
  const account = toSystemAccountId(op.platform.id, 'rail', currency, name)
  if (!statement && !(await selectIsUsed(op, name, currency, account))) return
  await decideAndCommit(
    app,
    op,
    async () => ((await hasArrived(op, id)) ? true : undefined),
    async () => {
      if (statement) return { answer: true, writes: (await recordStatement(op, name, statement)).writes }
      const exists = (await selectStatement(op, id)) !== undefined
      return {
        answer: true,
        writes: exists ? [] : [insert('rail_statements', newDay(op, name, currency, date))],
      }
    },
  )
}

async function hasArrived(op: Op, id: string): Promise<boolean> {
  const row = await selectStatement(op, id)
  return row !== undefined && row.state !== 'WAITING'
}

/** A day that was just reconciled, in its API form. */
export type Reconciled = Awaited<ReturnType<typeof withDifferences>>

/**
 * Reconciles a rail's day in one currency immediately: requests the statement if it is missing, applies its
 * entries, and compares it.
 */
export async function reconcileNow(
  app: App,
  rail: Rail,
  currency: KnownCurrency,
  date: string,
): Promise<Reconciled | undefined> {
  const op = await createRailOp(app, rail)
  if (!op || rail.name === null) return undefined
  await expectStatement(app, op, rail, currency, date)
  const id = deriveRailStatementId(rail.name, currency, date)
  for (;;) {
    const row = await selectStatement(op, id)
    if (!row) return undefined
    if (row.state === 'WAITING') return withDifferences(op, row)
    const isBooked = row.state !== 'BOOKING' || (await bookNextBatch(app, op, row))
    if (isBooked) return withDifferences(op, await compareNow(app, op, id))
  }
}

/** The statement of a job. Statements are never deleted. */
async function requireStatement(op: Op, id: string): Promise<RailStatementRow> {
  return requireValue(await selectStatement(op, id), 'statement of a job')
}

async function compareNow(app: App, op: Op, id: string): Promise<RailStatementRow> {
  const noReplay = async () => undefined
  return decideAndCommit<RailStatementRow>(app, op, noReplay, async () => {
    const { row, writes } = await reconcileStatement(op, await requireStatement(op, id))
    return { answer: row, writes }
  })
}
