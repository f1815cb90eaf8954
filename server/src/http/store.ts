import type { Op } from '../app.ts'
import type { Database } from '../db/port.ts'
import type { IdempotencyRow } from '../db/tables.ts'

/** Throws where the database cannot be reached. */
export async function ping(db: Database): Promise<void> {
  await db.query('SELECT 1')
}

/** What is kept under a key; after its time nothing is, though the row may still be there. */
export async function selectIdempotencyKey(
  op: Op,
  scope: string,
  key: string,
): Promise<IdempotencyRow | undefined> {
  return op.read
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('expires_at', '>', op.now)
    .executeTakeFirst()
}
