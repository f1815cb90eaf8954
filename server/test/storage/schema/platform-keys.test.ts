import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/databases.testing.ts'
import { openDatabase } from '../../../src/storage/engine/open.ts'
import type { Database } from '../../../src/storage/engine/port.ts'
import { migrate } from '../../../src/storage/schema/migrate.ts'

/** Tables of the server, small enough to be copied to every node of a distributed database. */
const SERVER_TABLES = [
  'archives',
  'data_keys',
  'enclave_secrets',
  // Guessed invitation codes belong to no platform until one matches.
  'invitation_attempts',
  'migrations',
  'platforms',
  'request_counts',
  'schema_additions',
  'schema_functions',
  'settings',
]

/** Columns with random values, or with digests of random values or of the platform, which no two platforms share. */
const RANDOM_COLUMNS = [
  // In request counts: a token, a person or an address, which belongs to no platform.
  'caller',
  'client_id',
  'code_mac',
  'digest',
  'processor_ref',
  'secret_hash',
  'token_hash',
  'webauthn_id',
]

const dataDir = temporaryFolder()
let db: Database
beforeAll(async () => {
  db = await openDatabase({ databaseUrl: undefined, dataDir })
  await migrate(db)
})
afterAll(async () => {
  await db.close()
  rmSync(dataDir, { recursive: true, force: true })
})

test('every table except those of the server has the platform in each row', async () => {
  const { rows } = await db.query<{ name: string }>(`
    SELECT relname::text AS name FROM pg_class AS c
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
      AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'platform_id' AND attnotnull)
    ORDER BY 1`)
  expect(rows.map(({ name }) => name)).toEqual(SERVER_TABLES)
})

test('every unique key begins with the platform, an id, a random value, or a rail, which belongs to one platform', async () => {
  const { rows } = await db.query<{ name: string; first: string; type: string }>(
    `
    SELECT i.relname::text AS name, a.attname::text AS first, format_type(a.atttypid, NULL) AS type
    FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid JOIN pg_class AS c ON c.oid = x.indrelid
      LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = x.indkey[0]
    WHERE x.indisunique AND c.relnamespace = 'public'::regnamespace AND c.relname <> ALL ($1::text[])`,
    [SERVER_TABLES],
  )
  expect(rows.length).toBeGreaterThan(90)
  const unscoped = rows.filter(
    ({ first, type }) => type !== 'uuid' && first !== 'rail' && !RANDOM_COLUMNS.includes(first),
  )
  expect(unscoped).toEqual([])
})
