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

/** Ids, times and booleans are not personal. */
const IMPERSONAL_TYPES = ['uuid', 'timestamp with time zone', 'boolean', 'xid8']

test('each column of each table is classified as personal or not (else: add it in storage/erasure/columns-of-….ts)', {
  tags: 'smoke',
}, async () => {
  const { rows } = await db.query<{ table: string; column: string }>(
    `SELECT c.table_name::text AS table, c.column_name::text AS column
     FROM information_schema.columns AS c JOIN information_schema.tables AS t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
       AND NOT (SELECT relispartition FROM pg_class WHERE oid = quote_ident(c.table_name)::regclass)
       AND c.data_type <> ALL ($1::text[]) AND c.udt_name <> '_uuid'`,
    [IMPERSONAL_TYPES],
  )
  const columns = rows.map(({ table, column }) => `${table}.${column}`)
  const classifiedColumns = Object.entries(TABLE_COLUMNS).flatMap(
    ([table, { plain, kept = {}, apart = {}, erased = [] }]) => {
      const singleColumns = [...plain.split(' ').filter((word) => word !== ''), ...Object.keys(apart)]
      const otherColumns = [...Object.keys(kept), ...erased.flatMap(({ set = {} }) => Object.keys(set))]
      expect(new Set(singleColumns).size, table).toBe(singleColumns.length)
      expect(
        otherColumns.filter((column) => singleColumns.includes(column)),
        table,
      ).toEqual([])
      return [...new Set([...singleColumns, ...otherColumns])].map((column) => `${table}.${column}`)
    },
  )
  // An erasure also sets these times, which the query leaves out.
  const times = ['external_accounts.deleted_at', 'mandates.canceled_at']
  expect(classifiedColumns.filter((column) => !times.includes(column)).sort()).toEqual(columns.sort())
})

test('each specially erased column names its step', () => {
  const steps = STEPS.map(({ name }) => name.split(' ')[0])
  const namedSteps = Object.values(TABLE_COLUMNS).flatMap(({ apart = {} }) => Object.values(apart))
  expect(namedSteps.filter((name) => !steps.includes(name) && name !== 'documents')).toEqual([])
})

test('each personal column that is kept has a reason', () => {
  for (const { kept = {} } of Object.values(TABLE_COLUMNS))
    for (const why of Object.values(kept)) expect(why.length).toBeGreaterThan(5)
})
