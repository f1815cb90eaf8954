import type { App, Op } from '../../kernel/operation/app.ts'
import { decideAndCommit } from '../../kernel/operation/decide-and-commit.ts'
import type { RailStatementRow } from '../../storage/rows/reconciliation.ts'
import { bookNext } from './book-statement.ts'
import { selectBooking, selectStatement } from './store.ts'

/** Applies all entries of a rail's statements that jobs have not applied yet. */
export async function finishBooking(app: App, op: Op, rail: string): Promise<void> {
  for (const statement of await selectBooking(op, rail)) while (!(await bookNextBatch(app, op, statement)));
}

/** Applies the next entries of a statement. Returns true when all entries are applied. */
export async function bookNextBatch(app: App, op: Op, statement: RailStatementRow): Promise<boolean> {
  const noReplay = async () => undefined
  return decideAndCommit<boolean>(app, op, noReplay, async () => {
    const now = (await selectStatement(op, statement.id)) ?? statement
    if (now.state !== 'BOOKING') return { answer: true, writes: [] }
    const { writes, isDone } = await bookNext(op, now)
    return { answer: isDone, writes }
  })
}
