import { fitBalancesTogether } from '../../kernel/ledger/balances.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { isPaymentEntry, PAYMENT_ENTRIES } from '../../money/evidence/entry-kinds.ts'
import type { Evidence } from '../../money/evidence/evidence.ts'
import { applyOrHold } from '../../money/rail-events/apply-or-hold.ts'
import { findDepositRow } from '../../money/rails/deposit-rows.ts'
import { findRailPayment, isNewReport } from '../../money/rails/rail-payments.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { update } from '../../storage/commit/writes.ts'
import type { RailStatementEntryRow, RailStatementRow } from '../../storage/rows/reconciliation.ts'
import { type EntryWithItem, selectEntriesWithItem, selectHasReturn, selectStatement } from './store.ts'

/** The maximum number of entries that a run applies in one transaction. */
const ENTRIES_MAX = 100

/**
 * Applies entries that are missing in the ledger as if their events had arrived, so that lost events are
 * recovered. The statement is compared afterwards. A long statement takes several runs.
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

/** Applies the next entries of a statement in order. Guard: no other run has applied them. */
export async function bookNext(
  op: Op,
  statement: RailStatementRow,
): Promise<{ readonly writes: readonly Write[]; readonly isDone: boolean }> {
  const { id: statementId, booked_count: from } = statement
  const entries = await selectEntriesWithItem(op, statementId, from, ENTRIES_MAX)
  if (entries.length === 0) return { writes: [], isDone: true }
  // Two entries of the same payment need two runs: the second can be evaluated only once the first is committed.
  const next = entries.slice(0, findFirstRepeat(entries))
  const applied = await Promise.all(
    next.map(async (entry) => {
      const evidence = await findUnappliedEvidence(op, statement, entry)
      // An entry that cannot be applied is held for manual review and reported as a difference of that day.
      return evidence ? applyOrHold(op, statement.rail, evidence) : []
    }),
  )
  // The balances cover each entry, but perhaps not all of them together. In that case, only the first one is
  // applied now.
  const appliedCount = (await fitBalancesTogether(op, applied.flat())) ? next.length : 1
  const guard = { state: 'BOOKING', booked_count: from } as const
  return {
    writes: [
      ...applied.slice(0, appliedCount).flat(),
      update('rail_statements', statementId, guard, { booked_count: next[appliedCount - 1]?.place ?? from }),
    ],
    isDone: false,
  }
}

/**
 * The index of the first entry whose payment or deposit also occurs in an earlier entry, or the number of
 * entries if all differ.
 */
function findFirstRepeat(entries: readonly EntryWithItem[]): number {
  const seenItems = new Set<string>()
  for (const [index, { item_id }] of entries.entries())
    if (seenItems.size === seenItems.add(item_id).size) return index
  return entries.length
}

/** The claim of an entry that is not in the ledger yet; undefined if it is. */
async function findUnappliedEvidence(
  op: Op,
  statement: RailStatementRow,
  entry: EntryWithItem,
): Promise<Evidence | undefined> {
  const { kind, item_id: id, deposit } = entry
  if (isPaymentEntry(kind)) {
    const { direction, event } = PAYMENT_ENTRIES[kind]
    const row = await findRailPayment(op, direction, id)
    const isOpen = row !== undefined && (isNewReport(row.state, event) || row.failure?.isDecided === true)
    if (!isOpen || row.rail !== statement.rail) return undefined
    // An operator decided that the payment was returned. If the bank has also booked the return,
    // this entry adds nothing.
    if (kind === 'PAYMENT' && row.state === 'RETURNED' && (await selectHasReturn(op, id))) return undefined
    const failure = event === 'return' ? { failure: toFailure(entry) } : {}
    return {
      ...buildClaimFields(statement, entry),
      kind: 'payment',
      event,
      subject: { direction, id },
      line: entry.rail_reference,
      ...failure,
    }
  }
  const row = await findDepositRow(op, id)
  if (kind === 'DEPOSIT')
    return deposit && !row ? { ...buildClaimFields(statement, entry), kind: 'deposit', deposit } : undefined
  if (kind !== 'DEPOSIT_REVERSAL' || row?.rail !== statement.rail || row.state === 'REVERSED')
    return undefined
  const { message } = toFailure(entry)
  return { ...buildClaimFields(statement, entry), kind: 'reversal', subject: row.rail_reference, message }
}

/** The fields that all claims share: the bank's amount for the entry, in the statement's currency. */
function buildClaimFields({ currency }: RailStatementRow, { id, kind, amount, booked_at }: EntryWithItem) {
  const isMoneyOut = isPaymentEntry(kind) ? PAYMENT_ENTRIES[kind].isMoneyOut : kind === 'DEPOSIT_REVERSAL'
  return {
    id,
    source: 'STATEMENT',
    // The account was already checked when the statement was recorded.
    account: null,
    // Negative if the entry has the wrong direction, so that it matches no payment.
    amount: isMoneyOut ? -amount : amount,
    currency,
    occurredAt: booked_at.toISOString(),
  } as const
}

function toFailure({ text }: RailStatementEntryRow) {
  return { code: 'COUNTERPARTY_POST_TX_FAILED', message: text ?? 'The bank reversed the entry' } as const
}
