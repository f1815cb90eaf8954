import { RECONCILIATION_TRANSITIONS } from '@countersign/contract/states/reconciliation-states'
import type { Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { RailStatementEntryRow } from '../../storage/rows/reconciliation.ts'
import { computeExpectedCosts } from './costs.ts'
import { deriveStatementEntryId, selectEntry, selectStatement } from './store.ts'

/** A payment that an entry turned out to contain. Amounts are signed: incoming money is positive. */
export interface Explanation {
  /** The id of its entry at the bank. The first explanation has the id of the explained entry. */
  readonly entryId: string
  readonly kind: RailStatementEntryRow['kind']
  readonly itemId: string
  readonly amount: bigint
}

/** The state of an entry: in no statement, unexplained, or explained, booked or matched. */
export type EntryState = 'absent' | 'unexplained' | 'explained'

export async function findEntryState(op: Op, rail: string, entryId: string): Promise<EntryState> {
  const entry = await selectEntry(op, deriveStatementEntryId(rail, entryId))
  if (!entry) return 'absent'
  return entry.reason === 'UNEXPLAINED' && entry.match_id === null ? 'unexplained' : 'explained'
}

/**
 * Replaces an unexplained entry with entries for the payments that it turned out to contain, and schedules
 * the booking of their statement. The sum of the statement stays the same. Guards: nobody else has explained
 * the entry or extended its day.
 */
export async function explainEntry(
  op: Op,
  rail: string,
  found: readonly [Explanation, ...Explanation[]],
): Promise<readonly Write[]> {
  const [first, ...rest] = found
  const entry = await selectEntry(op, deriveStatementEntryId(rail, first.entryId))
  const day = entry && (await selectStatement(op, entry.statement_id))
  if (!day || entry.reason !== 'UNEXPLAINED' || entry.match_id !== null) return []
  const sum = found.reduce((total, { amount }) => total + amount, 0n)
  if (sum !== entry.amount)
    throw new Error(`${entry.id} is ${entry.amount}, but its payments add up to ${sum}`)
  const count = day.entry_count ?? 0
  const rows = rest.map(({ entryId, kind, amount, itemId }, index) => ({
    ...entry,
    ...{ id: deriveStatementEntryId(rail, entryId), rail_reference: entryId, place: count + index + 1 },
    ...{ kind, amount, item_id: itemId, reason: null },
  }))
  const explained = { kind: first.kind, amount: first.amount, item_id: first.itemId, reason: null }
  const costs = computeExpectedCosts(op.rails.find(rail), day.currency, found)
  const moved = transition(
    op,
    'rail_statements',
    RECONCILIATION_TRANSITIONS,
    day,
    'extend',
    {
      entry_count: count + rest.length,
      // Applying later entries again changes nothing.
      booked_count: Math.min(day.booked_count, entry.place - 1),
      expected_costs: costs === undefined ? day.expected_costs : costs + (day.expected_costs ?? 0n),
    },
    { entry_count: day.entry_count, booked_count: day.booked_count },
  )
  return [
    update('rail_statement_entries', entry.id, { reason: entry.reason, match_id: null }, explained),
    ...rows.map((row) => insert('rail_statement_entries', row)),
    moved.write,
    job(op, 'statement.book', { statementId: day.id }, op.now),
  ]
}
