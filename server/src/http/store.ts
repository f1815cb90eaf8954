import type { Database } from '../db/engine/port.ts'
import { inTime } from '../op/in-time.ts'

/** A probe that waits longer takes the process for dead. */
const PING_MS_MAX = 2000

/** Throws where the database cannot be reached, or says nothing. */
export async function ping(db: Database): Promise<void> {
  if (!(await inTime(PING_MS_MAX, db.query('SELECT 1', [], { isBrief: true }))))
    throw new Error(`no answer within ${PING_MS_MAX} ms`)
}
