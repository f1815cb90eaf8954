import { extractUuid, NIL_UUID } from '../../storage/engine/ids.ts'
import type { Database } from '../../storage/engine/port.ts'
import type { Keyring } from './keyring.ts'

/**
 * Columns with long-lived sealed data by table, and their associated data. Targets of one-time codes are
 * omitted: codes issued before a rotation become invalid.
 */
const SEALED = [
  { table: 'internal_accounts', column: 'sealed_seed', boundTo: (id: string) => `wallet_seed ${id}` },
  { table: 'delegated_keys', column: 'sealed_key', boundTo: (id: string) => `delegated_key ${id}` },
  {
    table: 'stablecoin_accounts',
    column: 'sealed_credentials',
    boundTo: (id: string) => `text stablecoinAccount ${id}`,
  },
  { table: 'messages', column: 'sealed_content', boundTo: (id: string) => `text message ${id}` },
  {
    table: 'beneficial_owners',
    column: 'sealed_identifier',
    boundTo: (id: string) => `text beneficialOwner ${id}`,
  },
  { table: 'documents', column: 'sealed_number', boundTo: (id: string) => `text document ${id}` },
  { table: 'stored_files', column: 'sealed_key', boundTo: (id: string) => `file_key ${id}` },
] as const

const ROWS_AT_ONCE = 200

/**
 * Reseals all data sealed with older data keys, a few rows at a time, and records the completion. A row is
 * replaced only if it is unchanged, so several processes may do this in parallel, and one that dies leaves
 * the rest for the next start. Returns the number of resealed rows; undefined if it was stopped, or if the
 * key was never rotated.
 */
export async function reseal(
  db: Database,
  keys: Keyring,
  now: () => Date,
  stopped: () => boolean,
): Promise<number | undefined> {
  if (keys.generation === 1) return undefined
  if (await isDone(db, keys.generation)) return 0
  let count = 0
  for (const { table, column, boundTo } of SEALED) {
    let after = NIL_UUID
    for (;;) {
      if (stopped()) return undefined
      const { rows } = await db.query<{ id: string; sealed: Uint8Array }>(
        `SELECT id, ${column} AS sealed FROM ${table}
         WHERE id > $1 AND ${column} IS NOT NULL AND sealed_generation(${column}) < $2 ORDER BY id LIMIT $3`,
        [after, keys.generation, ROWS_AT_ONCE],
      )
      const last = rows.at(-1)
      if (!last) break
      const resealed = rows.map(({ id, sealed }) => {
        const secret = keys.open(sealed, boundTo(id))
        if (!secret) throw new Error(`The sealed ${column} of ${table} ${id} cannot be opened`)
        return keys.seal(secret, boundTo(id))
      })
      const { affected } = await db.query(
        `UPDATE ${table} AS t SET ${column} = s.resealed
         FROM unnest($1::uuid[], $2::bytea[], $3::bytea[]) AS s (id, sealed, resealed)
         WHERE t.id = s.id AND t.${column} = s.sealed`,
        [rows.map(({ id }) => extractUuid(id)), rows.map(({ sealed }) => sealed), resealed],
      )
      count += affected
      after = extractUuid(last.id)
    }
  }
  await db.query('UPDATE data_keys SET resealed_at = $1 WHERE generation = $2', [now(), keys.generation])
  return count
}

async function isDone(db: Database, generation: number): Promise<boolean> {
  const { rows } = await db.query<{ done: boolean }>(
    'SELECT resealed_at IS NOT NULL AS done FROM data_keys WHERE generation = $1',
    [generation],
  )
  return rows[0]?.done ?? false
}
