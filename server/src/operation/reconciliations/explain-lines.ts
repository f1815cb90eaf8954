import { RECONCILIATION_TRANSITIONS } from '@countersign/contract/states/reconciliation-states'
import type { Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import type { DepositRow } from '../../storage/rows/rail.ts'
import type { RailStatementEntryRow, RailStatementRow } from '../../storage/rows/reconciliation.ts'
import { computeExpectedCosts } from './costs.ts'
import { selectDepositLines, selectEntry, selectLatest, selectStatement } from './store.ts'

/** A statement line, with its day. */
export interface StatementLine {
  readonly entry: RailStatementEntryRow
  readonly day: RailStatementRow
}

/** The statement line with this id; undefined if it does not exist. */
export async function findStatementLine(op: Op, id: string): Promise<StatementLine | undefined> {
  const entry = await selectEntry(op, id)
  const day = entry && (await selectStatement(op, entry.statement_id))
  return day && { entry, day }
}

/** The statement lines that book a deposit at its rail in its currency, at most two. */
export function depositLines(op: Op, row: Pick<DepositRow, 'id' | 'rail' | 'currency'>) {
  return selectDepositLines(op, row)
}

/** Schedules the comparison of a rail's account after a booking that resolves a difference. */
export async function scheduleComparison(op: Op, rail: string, currency: string): Promise<Write[]> {
  const latest = await selectLatest(op, rail, currency)
  return latest ? [job(op, 'statement.compare', { statementId: latest.id, attempt: 0 }, op.now)] : []
}

/** An outgoing line means that a payment left; an incoming line means that it was returned. */
export function classifyLine({
  amount,
}: Pick<RailStatementEntryRow, 'amount'>): 'PAYMENT' | 'PAYMENT_RETURN' {
  return amount < 0n ? 'PAYMENT' : 'PAYMENT_RETURN'
}

/**
 * Explains unexplained lines as lines of a payment, and schedules the comparison of their days. Guards:
 * nobody else has explained a line or extended its day.
 */
export function explainLines(op: Op, lines: readonly StatementLine[], paymentId: string): readonly Write[] {
  const open = lines.filter(({ entry }) => entry.reason === 'UNEXPLAINED')
  const days = new Map(open.map(({ day }) => [day.id, day]))
  return [
    ...open.map(({ entry }) =>
      update(
        'rail_statement_entries',
        entry.id,
        { reason: entry.reason, match_id: null },
        { kind: classifyLine(entry), item_id: paymentId, reason: null },
      ),
    ),
    ...[...days.values()].flatMap((day) => rebookLines(op, day, open)),
  ]
}

function rebookLines(op: Op, day: RailStatementRow, lines: readonly StatementLine[]): readonly Write[] {
  const entries = lines.flatMap(({ entry }) => (entry.statement_id === day.id ? [entry] : []))
  const kinds = entries.map((entry) => ({ kind: classifyLine(entry), amount: entry.amount }))
  const costs = computeExpectedCosts(op.rails.find(day.rail), day.currency, kinds)
  const moved = transition(
    op,
    'rail_statements',
    RECONCILIATION_TRANSITIONS,
    day,
    'extend',
    {
      // Applying later entries again changes nothing.
      booked_count: Math.min(day.booked_count, ...entries.map(({ place }) => place - 1)),
      expected_costs: costs === undefined ? day.expected_costs : costs + (day.expected_costs ?? 0n),
    },
    { entry_count: day.entry_count, booked_count: day.booked_count },
  )
  return [moved.write, job(op, 'statement.book', { statementId: day.id }, op.now)]
}
