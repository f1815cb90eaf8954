import { lookupByKey } from '../../storage/read/lookup.ts'
import type { IdempotencyRow } from '../../storage/rows/tables.ts'
import type { Op } from '../operation/app.ts'

const BY_KEY = lookupByKey<IdempotencyRow>(
  `SELECT k.* FROM unnest($1::text[], $2::text[]) AS asked (scope, key)
   CROSS JOIN LATERAL (SELECT scope, key, platform_id, request_hash, status, body, created_at, expires_at
     FROM idempotency_keys WHERE digest = key_digest(asked.scope, asked.key) OFFSET 0) AS k
   WHERE k.scope = asked.scope AND k.key = asked.key`,
  'scope',
  'key',
)

/** The unexpired response stored under a key. Expired rows may still exist. */
export async function selectIdempotencyKey(
  op: Op,
  scope: string,
  key: string,
): Promise<IdempotencyRow | undefined> {
  const row = await op.find(BY_KEY, scope, key)
  return row && row.expires_at > op.now ? row : undefined
}
