import type { Op } from '../app.ts'
import { rowByColumns } from '../db/lookup.ts'
import type { Database } from '../db/port.ts'
import type { IdempotencyRow } from '../db/schema/tables.ts'
import { inTime } from '../in-time.ts'

/** A probe that waits longer takes the process for dead. */
const PING_MS_MAX = 2000

/** Throws where the database cannot be reached, or says nothing. */
export async function ping(db: Database): Promise<void> {
  if (!(await inTime(PING_MS_MAX, db.query('SELECT 1', [], { isBrief: true }))))
    throw new Error(`no answer within ${PING_MS_MAX} ms`)
}

const BY_KEY = rowByColumns<IdempotencyRow>('idempotency_keys', ['scope', 'key'])

/** What is kept under a key; after its time nothing is, though the row may still be there. */
export async function selectIdempotencyKey(
  op: Op,
  scope: string,
  key: string,
): Promise<IdempotencyRow | undefined> {
  const row = await op.find(BY_KEY, scope, key)
  return row && row.expires_at > op.now ? row : undefined
}
