import { auditStep } from '../audit/trail.ts'
import { update } from '../db/commit/writes.ts'
import { job } from '../jobs/jobs.ts'
import { post } from '../ledger/ledger.ts'
import type { App } from '../op/app.ts'
import { decideAndCommit } from '../op/rerun.ts'
import { operate } from '../platforms/operate.ts'
import { findEntry, selectEntry, selectLatest, selectStatement } from './store.ts'

/** What an entry can be booked as that names no payment: what was dealt at the bank itself, or what the bank has charged. */
export const BOOKED_AS = ['fx', 'costs'] as const
export type BookedAs = (typeof BOOKED_AS)[number]

/**
 * Books an entry that nothing explains, as the operator says: between the ledger's account of the rail and one of the platform's own.
 * The difference is gone with it. Guard: it was not booked before. Throws an error of one line.
 */
export async function bookEntry(app: App, entryId: string, as: BookedAs): Promise<object> {
  const known = await findEntry(app, entryId)
  if (!known) throw new Error(`There is no entry ${entryId}.`)
  const op = await operate(app, known.platform_id)
  return decideAndCommit<object>(
    app,
    op,
    async () => undefined,
    async () => {
      const entry = (await selectEntry(op, entryId))!
      const statement = (await selectStatement(op, entry.statement_id))!
      if (entry.reason !== 'UNEXPLAINED')
        throw new Error(`${entryId} needs no booking: only an entry that is UNEXPLAINED does.`)
      const { rail, currency } = statement
      const latest = (await selectLatest(op, rail, currency)) ?? statement
      return {
        answer: { booked: entryId, as, rail, currency, amount: String(entry.amount) },
        writes: [
          ...post(op, { cause: 'statement', causeId: entryId }, [
            { system: 'rail', rail, currency, amount: -entry.amount },
            { system: as, currency, amount: entry.amount },
          ]),
          update('rail_statement_entries', entryId, { reason: entry.reason }, { reason: null }),
          job(op, 'statement.compare', { statementId: latest.id, attempt: 0 }, op.now),
          ...auditStep(op, 'reconciliation_book', { params: { entryId } }),
        ],
      }
    },
  )
}
