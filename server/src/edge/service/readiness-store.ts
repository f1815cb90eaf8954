import { withTimeout } from '../../kernel/operation/timeout.ts'
import type { Database } from '../../storage/engine/port.ts'

/** A probe that waits longer would consider the process dead. */
const PING_MS_MAX = 2000

/**
 * Throws if the database is unreachable, unresponsive or read-only. A row lock requires the same as a write.
 */
export async function ping(db: Database): Promise<void> {
  if (
    !(await withTimeout(
      PING_MS_MAX,
      db.query('SELECT id FROM platforms WHERE false FOR UPDATE', [], { connection: 'fast' }),
    ))
  )
    throw new Error(`the database did not respond within ${PING_MS_MAX} ms`)
}
