import type { Write } from '../db/commit/writes.ts'
import { update } from '../db/commit/writes.ts'
import type { RailPaymentRow } from '../db/schema/rail-tables.ts'
import type { RailStatementEntryRow, RailStatementRow } from '../db/schema/reconciliation-tables.ts'
import { job } from '../jobs/jobs.ts'
import type { JobHandler } from '../jobs/kinds.ts'
import type { Op } from '../op/app.ts'
import { ApiError } from '../op/operation.ts'
import { applyReport, type Report } from '../rail-events/apply.ts'
import { findDepositRow } from '../rails/deposit-rows.ts'
import { findRailPayment, isNews } from '../rails/rail-payments.ts'
import { selectNamingEntries, selectStatement } from './store.ts'

/** Entries that one run looks at, and those of them that it applies: each is a payment's own work. */
const ENTRIES_MAX = 500
const APPLIED_MAX = 100

/**
 * Applies what the entries of a statement tell and nobody has told yet, as if the event had come: a lost event heals. Then the
 * statement is compared. A statement that is long takes several runs.
 */
export const bookStatement: JobHandler<'statement.book'> = async (op, { statementId }) => {
  const statement = await selectStatement(op, statementId)
  if (statement?.state !== 'BOOKING') return []
  const { writes, isDone } = await bookNext(op, statement)
  const next = isDone
    ? job(op, 'statement.compare', { statementId, attempt: 0 }, op.now)
    : job(op, 'statement.book', { statementId }, op.now)
  return [...writes, next]
}

/** Applies the next entries of a statement, in their order. Guard: no other run has come as far. */
export async function bookNext(
  op: Op,
  statement: RailStatementRow,
): Promise<{ readonly writes: readonly Write[]; readonly isDone: boolean }> {
  const { id: statementId, booked_count: from } = statement
  const entries = await selectNamingEntries(op, statementId, from, ENTRIES_MAX)
  if (entries.length === 0) return { writes: [], isDone: true }
  const news = await Promise.all(entries.map((entry) => newsOf(op, statement, entry)))
  const applied: Write[] = []
  const touched = new Set<string>()
  let to = from
  for (const [index, entry] of entries.entries()) {
    const told = news[index]
    // Two entries of one payment are two steps: the second is decided when the first has been written.
    if (touched.has(entry.item_id!) || (told && touched.size === APPLIED_MAX)) break
    if (told) {
      touched.add(entry.item_id!)
      applied.push(...(await writesOf(op, statement, told)))
    }
    to = entry.place
  }
  const guard = { state: 'BOOKING', booked_count: from } as const
  return {
    writes: [...applied, update('rail_statements', statementId, guard, { booked_count: to })],
    isDone: false,
  }
}

/** What an entry tells that nobody has told yet. */
async function newsOf(
  op: Op,
  { rail }: RailStatementRow,
  entry: RailStatementEntryRow,
): Promise<Report | undefined> {
  const id = entry.item_id!
  switch (entry.kind) {
    case 'PAYMENT':
      return isOpen(await paymentOf(op, 'OUT', id), rail, 'deliver')
        ? report(entry, 'payment.delivered', { id })
        : undefined
    case 'PAYMENT_RETURN':
      return isOpen(await paymentOf(op, 'OUT', id), rail, 'return')
        ? report(entry, 'payment.returned', { id, failure: failureOf(entry) })
        : undefined
    case 'PULL':
      return isOpen(await paymentOf(op, 'PULL', id), rail, 'deliver')
        ? report(entry, 'pull.delivered', { id })
        : undefined
    case 'PULL_RETURN':
      return isOpen(await paymentOf(op, 'PULL', id), rail, 'return')
        ? report(entry, 'pull.returned', { id, failure: failureOf(entry) })
        : undefined
    case 'DEPOSIT':
      return entry.deposit && !(await findDepositRow(op, id))
        ? report(entry, 'deposit.received', entry.deposit)
        : undefined
    case 'DEPOSIT_REVERSAL': {
      const deposit = await findDepositRow(op, id)
      return deposit?.rail === rail && deposit.state !== 'REVERSED'
        ? report(entry, 'deposit.reversed', {
            depositId: deposit.rail_reference,
            failure: failureOf(entry),
          })
        : undefined
    }
    default:
      return undefined
  }
}

function paymentOf(op: Op, direction: 'OUT' | 'PULL', id: string): Promise<RailPaymentRow | undefined> {
  return findRailPayment(op, direction, id)
}

function isOpen(row: RailPaymentRow | undefined, rail: string, by: 'deliver' | 'return'): boolean {
  return row?.rail === rail && isNews(row.state, by)
}

/** An entry as the event that did not come. */
function report<Type extends Report['type']>(
  { id, booked_at }: RailStatementEntryRow,
  type: Type,
  data: Extract<Report, { type: Type }>['data'] | object,
): Report {
  return { id, type, occurredAt: booked_at.toISOString(), data } as Report
}

function failureOf({ text }: RailStatementEntryRow) {
  return { code: 'COUNTERPARTY_POST_TX_FAILED', message: text ?? 'The bank has booked it back' } as const
}

/** What cannot be applied is a difference. */
async function writesOf(op: Op, { rail }: RailStatementRow, one: Report): Promise<readonly Write[]> {
  try {
    const { writes, reason } = await applyReport(op, rail, one)
    if (reason !== undefined) op.log.warn({ rail, entry: one.id, reason }, 'an entry cannot be applied')
    return writes
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    op.log.warn({ rail, entry: one.id, reason: error.code }, 'an entry cannot be applied')
    return []
  }
}
