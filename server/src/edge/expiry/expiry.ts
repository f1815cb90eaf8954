import { type Background, runInBackground } from '../../kernel/operation/background.ts'
import type { Database } from '../../storage/engine/port.ts'
import { deleteExpired, EXPIRING, type ExpiringTable } from './store.ts'

const INTERVAL_MS = 60_000
/** The maximum number of rows per statement. Each statement is its own transaction. */
const ROWS_MAX = 1_000

/** Removes all expired rows of one table and returns their number. */
export async function removeExpired(db: Database, table: ExpiringTable, now: Date): Promise<number> {
  let total = 0
  for (;;) {
    const removed = await deleteExpired(db, table, now, ROWS_MAX)
    total += removed
    if (removed < ROWS_MAX) return total
  }
}

/**
 * Removes expired rows every minute. If a table fails, `onFailure` is called and the other tables are still
 * swept.
 */
export function startExpirySweep(
  db: Database,
  clock: () => Date,
  onFailure: (error: unknown) => void,
): Background {
  const sweep = async () => {
    for (const table of EXPIRING) await removeExpired(db, table, clock()).catch(onFailure)
  }
  return runInBackground(INTERVAL_MS, sweep, onFailure)
}
