import { rowByColumns } from '../db/read/lookup.ts'
import type { IdempotencyRow } from '../db/schema/tables.ts'
import type { Op } from '../op/app.ts'

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
