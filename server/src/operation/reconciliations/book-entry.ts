import { requireValue } from '../../base/formats/require-value.ts'
import { buildAuditEntryOutsideApi } from '../../kernel/audit/audit-trail.ts'
import { post } from '../../kernel/ledger/transfers.ts'
import type { App } from '../../kernel/operation/app.ts'
import { decideAndCommit } from '../../kernel/operation/decide-and-commit.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { resolveLineReports } from '../../money/rail-events/waiting-lines.ts'
import { operate } from '../../people/platforms/operate.ts'
import { update } from '../../storage/commit/writes.ts'
import { findEntry, selectEntry, selectLatest, selectStatement } from './store.ts'

/**
 * The platform account for an entry without a payment: `fx` for currency exchanged at the bank itself,
 * `costs` for bank charges.
 */
export type BookedAs = 'fx' | 'costs'

/**
 * Books an unexplained entry to the platform's account `fx` or `costs`, which resolves the difference. Guard:
 * the entry was not booked before. Throws with a one-line message.
 */
export async function bookEntry(app: App, entryId: string, as: BookedAs): Promise<object> {
  const found = await findEntry(app, entryId)
  if (!found) throw new Error(`Statement entry ${entryId} not found.`)
  const op = await operate(app, found.platform_id)
  return decideAndCommit<object>(
    app,
    op,
    async () => undefined,
    async () => {
      const entry = requireValue(await selectEntry(op, entryId), 'entry that was just found')
      const statement = requireValue(await selectStatement(op, entry.statement_id), 'statement of an entry')
      if (entry.reason !== 'UNEXPLAINED')
        throw new Error(`${entryId} cannot be booked. Only UNEXPLAINED entries can.`)
      if (entry.match_id !== null)
        throw new Error(`${entryId} is part of ${entry.match_id}. Undo that match first.`)
      const { rail, currency } = statement
      const latest = (await selectLatest(op, rail, currency)) ?? statement
      return {
        answer: { booked: entryId, as, rail, currency, amount: String(entry.amount) },
        writes: [
          ...post(op, { cause: 'statement', causeId: entryId }, [
            { system: 'rail', rail, currency, amount: -entry.amount },
            { system: as, currency, amount: entry.amount },
          ]),
          update(
            'rail_statement_entries',
            entryId,
            { reason: entry.reason, match_id: null },
            { reason: null },
          ),
          ...(await resolveLineReports(op, rail, [entry.rail_reference], `Booked to ${as}`)),
          job(op, 'statement.compare', { statementId: latest.id, attempt: 0 }, op.now),
          ...buildAuditEntryOutsideApi(op, 'reconciliation_book', { params: { entryId } }),
        ],
      }
    },
  )
}
