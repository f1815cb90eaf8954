import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/databases.testing.ts'
import { STEPS } from '../../../src/operation/erasures/steps.ts'
import { openDatabase } from '../../../src/storage/engine/open.ts'
import type { Database } from '../../../src/storage/engine/port.ts'
import { TABLE_COLUMNS } from '../../../src/storage/erasure/erase-rows.ts'
import { migrate } from '../../../src/storage/schema/migrate.ts'

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

/** Ids, times, and yes or no. */
const SAYS_NOTHING = ['uuid', 'timestamp with time zone', 'boolean', 'xid8']

test('each column of each table is classified as personal or not: add a new one to db/erasure/columns-of-….ts', {
  tags: 'smoke',
}, async () => {
  const { rows } = await db.query<{ table: string; column: string }>(
    `SELECT c.table_name::text AS table, c.column_name::text AS column
     FROM information_schema.columns AS c JOIN information_schema.tables AS t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
       AND NOT (SELECT relispartition FROM pg_class WHERE oid = quote_ident(c.table_name)::regclass)
       AND c.data_type <> ALL ($1::text[]) AND c.udt_name <> '_uuid'`,
    [SAYS_NOTHING],
  )
  const found = rows.map(({ table, column }) => `${table}.${column}`)
  const decided = Object.entries(TABLE_COLUMNS).flatMap(
    ([table, { plain, kept = {}, apart = {}, erased = [] }]) => {
      const single = [...plain.split(' ').filter((word) => word !== ''), ...Object.keys(apart)]
      const more = [...Object.keys(kept), ...erased.flatMap(({ set = {} }) => Object.keys(set))]
      expect(new Set(single).size, table).toBe(single.length)
      expect(
        more.filter((column) => single.includes(column)),
        table,
      ).toEqual([])
      return [...new Set([...single, ...more])].map((column) => `${table}.${column}`)
    },
  )
  // Times may be set as well.
  const times = ['external_accounts.deleted_at', 'mandates.canceled_at']
  expect(decided.filter((column) => !times.includes(column)).sort()).toEqual(found.sort())
})

test('each specially erased column names its step', () => {
  const steps = STEPS.map(({ name }) => name.split(' ')[0])
  const named = Object.values(TABLE_COLUMNS).flatMap(({ apart = {} }) => Object.values(apart))
  expect(named.filter((name) => !steps.includes(name) && name !== 'documents')).toEqual([])
})

test('each personal column that stays has a reason', () => {
  for (const { kept = {} } of Object.values(TABLE_COLUMNS))
    for (const why of Object.values(kept)) expect(why.length).toBeGreaterThan(5)
})
