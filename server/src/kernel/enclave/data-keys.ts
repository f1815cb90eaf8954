import { randomBytes } from 'node:crypto'
import { openAtRest, sealAtRest } from '../../base/crypto/seal.ts'
import { requireValue } from '../../base/formats/require-value.ts'
import type { Database } from '../../storage/engine/port.ts'
import { formatDataKeyName, Keyring } from './keyring.ts'

export const KEY_BYTES = 32

/** The master key does not open the keys in this database. `message` is one line for the operator. */
export class MasterKeyError extends Error {}

/**
 * Returns the data keys of this database, creating the first one if no key exists. If several processes do
 * this in parallel, the first one wins. Throws MasterKeyError if the keys are sealed with another master key.
 */
export async function findOrMakeDataKeys(
  db: Database,
  masterKey: Uint8Array,
  createdAt: Date,
): Promise<Keyring> {
  const dataKeys = await findDataKeys(db, masterKey)
  if (dataKeys) return dataKeys
  await db.query(
    'INSERT INTO data_keys (generation, sealed, created_at) VALUES (1, $1, $2) ON CONFLICT DO NOTHING',
    [sealAtRest(masterKey, randomBytes(KEY_BYTES), formatDataKeyName(1)), createdAt],
  )
  return requireValue(await findDataKeys(db, masterKey), 'data key, although one was written')
}

/**
 * Returns the data keys, if there are any. Throws MasterKeyError if they are sealed with another master key.
 */
export async function findDataKeys(db: Database, masterKey: Uint8Array): Promise<Keyring | undefined> {
  const { rows } = await db.query<{ generation: number; sealed: Uint8Array }>(
    'SELECT generation, sealed FROM data_keys ORDER BY generation',
  )
  if (rows.length === 0) return undefined
  const keys = rows.map(({ generation, sealed }) => {
    const key = openAtRest(masterKey, sealed, formatDataKeyName(generation))
    if (!key)
      throw new MasterKeyError(
        'The master key does not open this database: it was created with another COUNTERSIGN_MASTER_KEY.',
      )
    return [generation, key] as const
  })
  return new Keyring(new Map(keys))
}

/** The names of the enclave's key pairs. They never change, because clients pin these keys. */
export const KEY_PAIRS = ['quorum_key', 'webhook_key'] as const

const ROTATE = `
WITH present AS (
  SELECT generation FROM data_keys WHERE generation = $1 AND sealed = $2 FOR UPDATE),
keys AS (
  INSERT INTO data_keys (generation, sealed, created_at)
  SELECT k.generation, k.sealed, $5 FROM unnest($3::integer[], $4::bytea[]) AS k (generation, sealed), present
  ON CONFLICT (generation) DO UPDATE SET sealed = excluded.sealed RETURNING 1),
secrets AS (
  UPDATE enclave_secrets e SET sealed = s.sealed
  FROM unnest($6::text[], $7::bytea[]) AS s (name, sealed), present WHERE e.name = s.name RETURNING 1)
SELECT count(*)::integer AS written FROM keys`

/**
 * Creates a data key, and seals all data keys with a new master key, in one statement. Data sealed from then
 * on can be opened neither with the old master key nor with an earlier backup. Earlier data is resealed when
 * a server starts with the new key (`reseal.ts`); throws MasterKeyError if `masterKey` is not the current
 * one.
 */
export async function rotateMasterKey(
  db: Database,
  masterKey: Uint8Array,
  newMasterKey: Uint8Array,
  at: Date,
): Promise<void> {
  const { rows: stored } = await db.query<{ generation: number; sealed: Uint8Array }>(
    'SELECT generation, sealed FROM data_keys ORDER BY generation DESC LIMIT 1',
  )
  const before = await findDataKeys(db, masterKey).catch(() => undefined)
  if (!before || !stored[0])
    throw new MasterKeyError('COUNTERSIGN_MASTER_KEY is not the master key of this database.')
  const generations = Array.from({ length: before.generation + 1 }, (_, index) => index + 1)
  const next = new Keyring(
    new Map(
      generations.map((generation) => [
        generation,
        generation > before.generation ? randomBytes(KEY_BYTES) : before.key(generation),
      ]),
    ),
  )
  const { rows: secrets } = await db.query<{ name: string; sealed: Uint8Array }>(
    'SELECT name, sealed FROM enclave_secrets',
  )
  const resealed = secrets.map(({ name, sealed }) =>
    next.seal(requireValue(before.open(sealed, name), `readable secret ${name}`), name),
  )
  const { rows } = await db.query<{ written: number }>(ROTATE, [
    before.generation,
    stored[0].sealed,
    generations,
    generations.map((generation) =>
      sealAtRest(newMasterKey, next.key(generation), formatDataKeyName(generation)),
    ),
    at,
    secrets.map(({ name }) => name),
    resealed,
  ])
  if (rows[0]?.written !== generations.length)
    throw new Error('Another process rotated the master key at the same time.')
}
