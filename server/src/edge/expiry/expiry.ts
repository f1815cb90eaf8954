import { type Background, inBackground } from '../../kernel/operation/background.ts'
import type { Database } from '../../storage/engine/port.ts'
import { deleteExpired, EXPIRING, type ExpiringTable } from './store.ts'

const INTERVAL_MS = 60_000
/** The maximum number of rows per statement, which is a transaction. */
const ROWS_MAX = 1_000

/** Removes all expired rows of one table. Returns their number. */
export async function removeExpired(db: Database, table: ExpiringTable, now: Date): Promise<number> {
  let all = 0
  for (;;) {
    const removed = await deleteExpired(db, table, now, ROWS_MAX)
    all += removed
    if (removed < ROWS_MAX) return all
  }
}

/**
 * Removes expired rows every minute. `failed` is called for each table that fails; the others are still
 * cleared.
 */
export function startExpirySweep(
  db: Database,
  clock: () => Date,
  failed: (error: unknown) => void,
): Background {
  const clear = async () => {
    for (const table of EXPIRING) await removeExpired(db, table, clock()).catch(failed)
  }
  return inBackground(INTERVAL_MS, clear, failed)
}
