import { rowByColumns } from '../db/read/lookup.ts'
import type { IdempotencyRow } from '../db/schema/tables.ts'
import type { Op } from '../op/app.ts'

const BY_KEY = rowByColumns<IdempotencyRow>('idempotency_keys', ['scope', 'key'])

/** The unexpired answer under a key; the row of an expired one may still exist. */
export async function selectIdempotencyKey(
  op: Op,
  scope: string,
  key: string,
): Promise<IdempotencyRow | undefined> {
  const row = await op.find(BY_KEY, scope, key)
  return row && row.expires_at > op.now ? row : undefined
}
