import { rmSync } from 'node:fs'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  createPostgresDatabase,
  type PostgresDatabase,
  temporaryFolder,
} from '../../../../test/databases.testing.ts'
import { openDatabase } from '../../../src/storage/engine/open.ts'
import type { Database } from '../../../src/storage/engine/port.ts'
import { openPostgres } from '../../../src/storage/engine/postgres.ts'
import { BASELINE_NAME } from '../../../src/storage/schema/baseline/baseline.ts'
import {
  FUNCTIONS,
  FUNCTIONS_VERSION,
  parseSqlFunction,
} from '../../../src/storage/schema/functions/functions.ts'
import { type Migration, migrate, SCHEMA, type Schema } from '../../../src/storage/schema/migrate.ts'

const DATABASE_URL = process.env.DATABASE_URL

/** A later build with additional functions, and a table for their triggers. */
function createLaterBuild(versionsLater: number, ...functions: readonly string[]) {
  const schema: Schema = {
    migrations: [
      ...SCHEMA.migrations,
      { name: '9001-things', sql: 'CREATE TABLE things (id integer PRIMARY KEY)', step: 'add' },
    ],
    functions: [...FUNCTIONS, ...functions.map(parseSqlFunction)],
    functionsVersion: FUNCTIONS_VERSION + versionsLater,
  }
  return { schema }
}

/** A later release with a last step, after which the previous build cannot be used. */
function createLaterRelease(...more: readonly Migration[]) {
  const { schema } = createLaterBuild(1)
  return { schema: { ...schema, migrations: [...schema.migrations, ...more, LAST_STEP] } }
}

const LAST_STEP: Migration = {
  name: '9009-end',
  sql: 'ALTER TABLE things ADD COLUMN ended integer',
  step: 'end',
}

const defineAnswer = (value: number) =>
  `CREATE OR REPLACE FUNCTION test_answer() RETURNS integer LANGUAGE sql AS $$ SELECT ${value} $$;`

/** A value that the baseline initializes, and a restore raises. */
const FEED_BASE = 'feed_base'

/** Refuses every change of this kind to `things`. */
const defineRefusal = (change: 'INSERT' | 'DELETE', name = 'test_refuse') => `
CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'no %', TG_OP;
END $$;
CREATE TRIGGER things_refuse_${change.toLowerCase()} BEFORE ${change} ON things
  FOR EACH STATEMENT EXECUTE FUNCTION ${name}();`

/** Removes everything that the later builds add. */
const REMOVE_LATER = `
  DROP TABLE IF EXISTS things;
  DROP FUNCTION IF EXISTS test_answer, test_refuse, test_other;
  DELETE FROM migrations WHERE name LIKE '9%';
  DELETE FROM schema_additions WHERE name LIKE '9%';
  DELETE FROM schema_functions WHERE name LIKE 'test_%';
  UPDATE schema_functions SET version = ${FUNCTIONS_VERSION};`

describe.each([
  { kind: 'embedded', skip: false },
  { kind: 'postgres', skip: DATABASE_URL === undefined },
] as const)('on the $kind database', ({ kind, skip }) => {
  const dataDir = temporaryFolder()
  let postgres: PostgresDatabase | undefined
  /** Two processes. The embedded database allows only one, which is then used twice. */
  let db: Database
  let otherDb: Database

  /** A new database, on which two processes start at the same time. */
  beforeAll(async () => {
    if (skip) return
    if (kind === 'postgres') postgres = await createPostgresDatabase(DATABASE_URL!)
    db = await openDatabase({ databaseUrl: postgres?.url, dataDir })
    otherDb = postgres ? await openPostgres(postgres.url) : db
    let waiting = 2
    let proceed = () => {}
    const bothStarted = new Promise<void>((resolve) => {
      proceed = resolve
    })
    const start = (process: Database) =>
      migrate({
        ...process,
        script: async (sql) => {
          waiting -= 1
          if (waiting === 0) proceed()
          await bothStarted
          await process.script(sql)
        },
      })
    await Promise.all([start(db), start(otherDb)])
  })
  afterEach(async () => {
    if (!skip) await db.script(REMOVE_LATER)
  })
  afterAll(async () => {
    if (postgres) await otherDb.close()
    await db?.close()
    await postgres?.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  async function listNames(db: Database, sql: string): Promise<string[]> {
    return (await db.query<{ name: string }>(sql)).rows.map(({ name }) => name).sort()
  }

  const listFunctions = (db: Database) =>
    listNames(db, `SELECT proname::text AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace`)

  /** The rows about applied migrations and functions, with the transactions that wrote them. */
  async function readMarks(db: Database): Promise<unknown> {
    const { rows } = await db.query(`
      SELECT name, xmin::text AS written FROM migrations UNION ALL SELECT name, xmin::text FROM schema_additions
      UNION ALL SELECT name, xmin::text FROM schema_functions
      UNION ALL SELECT oid::text, xmin::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      UNION ALL SELECT oid::text, xmin::text FROM pg_trigger ORDER BY name`)
    return rows
  }

  async function readAnswer(db: Database): Promise<number> {
    return (await db.query<{ answer: number }>('SELECT test_answer() AS answer')).rows[0]!.answer
  }

  /** Returns the message of the expected error. */
  const readError = (work: Promise<unknown>) =>
    work.then(
      () => 'nothing failed',
      (error: Error) => error.message,
    )

  test.skipIf(skip)('two concurrent starts on a new database apply everything once', async () => {
    expect(
      await listNames(db, 'SELECT name FROM migrations UNION ALL SELECT name FROM schema_additions'),
    ).toEqual(SCHEMA.migrations.map(({ name }) => name).sort())
    const names = FUNCTIONS.map(({ name }) => name).sort()
    expect(await listNames(db, 'SELECT name FROM schema_functions')).toEqual(names)
    expect(await listFunctions(db)).toEqual([...names, FEED_BASE].sort())
    const tables = await listNames(db, `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`)
    expect(tables).toEqual(expect.arrayContaining(['customers', 'jobs', 'ledger_transfers', 'transactions']))
  })

  test.skipIf(skip)('a start on an up-to-date database changes nothing', async () => {
    const before = await readMarks(db)
    await migrate(db)
    expect(await readMarks(db)).toEqual(before)
  })

  test.skipIf(skip)(
    'the next start applies a changed function body, and nothing else',
    { tags: 'smoke' },
    async () => {
      await migrate(db, createLaterBuild(1, defineAnswer(1)))
      // By the third time the statement is prepared.
      for (let time = 0; time < 3; time += 1) expect(await readAnswer(db)).toBe(1)
      const readOtherFunctions = async () =>
        (
          await otherDb.query(`SELECT oid, xmin::text AS written FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace AND proname <> 'test_answer' ORDER BY oid`)
        ).rows
      const before = await readOtherFunctions()
      await migrate(otherDb, createLaterBuild(2, defineAnswer(2)))
      expect(await readAnswer(otherDb)).toBe(2)
      expect(await readAnswer(db)).toBe(2)
      expect(await readOtherFunctions()).toEqual(before)
    },
  )

  test.skipIf(skip)('a function with other arguments replaces the old one', async () => {
    await migrate(db, createLaterBuild(1, defineAnswer(1)))
    const withArgument =
      'CREATE OR REPLACE FUNCTION test_answer(n integer) RETURNS bigint LANGUAGE sql AS $$ SELECT n::bigint $$;'
    await migrate(db, createLaterBuild(2, withArgument))
    expect((await listFunctions(db)).filter((name) => name === 'test_answer')).toHaveLength(1)
    expect((await db.query('SELECT test_answer(3) AS answer')).rows).toEqual([{ answer: 3n }])
  })

  test.skipIf(skip)(
    'a function that the code no longer has is dropped in the last step, with its triggers',
    async () => {
      await migrate(db, createLaterBuild(1, defineAnswer(1), defineRefusal('INSERT')))
      expect(await readError(db.query('INSERT INTO things VALUES (1)'))).toBe('no INSERT')
      await migrate(db, { ...createLaterBuild(2), isLast: true })
      expect(await listFunctions(db)).toEqual([...FUNCTIONS.map(({ name }) => name), FEED_BASE].sort())
      await db.query('INSERT INTO things VALUES (1)')
    },
  )

  test.skipIf(skip)('a changed function has the triggers of its new text only', async () => {
    await migrate(db, createLaterBuild(1, defineRefusal('INSERT'), defineRefusal('DELETE', 'test_other')))
    // Each creates the trigger that the other one had.
    await migrate(db, createLaterBuild(2, defineRefusal('DELETE'), defineRefusal('INSERT', 'test_other')))
    const triggers =
      await db.query(`SELECT tgname::text AS name, tgfoid::regproc::text AS calls FROM pg_trigger
      WHERE tgrelid = 'things'::regclass ORDER BY 1`)
    expect(triggers.rows).toEqual([
      { name: 'things_refuse_delete', calls: 'test_refuse' },
      { name: 'things_refuse_insert', calls: 'test_other' },
    ])
    await migrate(db, { ...createLaterBuild(3, defineRefusal('DELETE')), isLast: true })
    await db.query('INSERT INTO things VALUES (1)')
    expect(await readError(db.query('DELETE FROM things'))).toBe('no DELETE')
  })

  test.skipIf(skip)(
    'a build tolerates additions of a newer one, and leaves its functions alone',
    async () => {
      await migrate(db, createLaterBuild(1, defineAnswer(2)))
      const before = await readMarks(db)
      expect(await migrate(otherDb)).toEqual([])
      await migrate(otherDb, createLaterBuild(0, defineAnswer(1)))
      expect(await readMarks(db)).toEqual(before)
      expect(await readAnswer(db)).toBe(2)
    },
  )

  test.skipIf(skip)(
    'the last step waits for an explicit request if servers of the previous release may run',
    async () => {
      const remaining = await migrate(db, createLaterRelease())
      expect(remaining).toEqual(kind === 'embedded' ? [] : ['9009-end'])
      if (kind === 'postgres') await migrate(otherDb)
      expect(await migrate(db, { ...createLaterRelease(), isLast: true })).toEqual([])
      await db.query('SELECT ended FROM things')
      expect(await migrate(db, createLaterRelease())).toEqual([])
    },
  )

  test.skipIf(skip)('a release that follows an unfinished upgrade finishes it', async () => {
    await migrate(db, createLaterRelease())
    const { schema } = createLaterRelease()
    const next: Migration = {
      name: '9010-more',
      sql: 'ALTER TABLE things ADD COLUMN more integer',
      step: 'add',
    }
    expect(await migrate(db, { schema: { ...schema, migrations: [...schema.migrations, next] } })).toEqual([])
    await db.query('SELECT ended, more FROM things')
  })

  test.skipIf(skip)(
    'a build refuses a database with a finished upgrade to a newer one, and changes nothing',
    async () => {
      await migrate(db, { ...createLaterRelease(), isLast: true })
      const before = await readMarks(db)
      expect(await readError(migrate(db))).toBe(
        'This database has migrations that this build does not know (9009-end). ' +
          'Run the build that last used it, or a newer one.',
      )
      expect(await readMarks(db)).toEqual(before)
    },
  )

  test.skipIf(skip)(
    'a database from a build before the baseline is refused, and stays unchanged',
    async () => {
      await db.script(`UPDATE migrations SET name = '0001-baseline-2' WHERE name = '${BASELINE_NAME}'`)
      const before = await readMarks(db)
      expect(await readError(migrate(db))).toBe(
        'This database was created before the first release and cannot be upgraded. ' +
          'Start with a new data directory, or with an empty PostgreSQL database.',
      )
      expect(await readMarks(db)).toEqual(before)
      await db.script(`UPDATE migrations SET name = '${BASELINE_NAME}' WHERE name = '0001-baseline-2'`)
    },
  )

  test.skipIf(kind === 'embedded' || skip)(
    'a migration gives way to requests that hold its locks',
    async () => {
      await migrate(db, createLaterBuild(1))
      const request = new pg.Client({ connectionString: postgres!.url })
      await request.connect()
      try {
        // It only reads, so that the feeds of other tests continue.
        await request.query('BEGIN')
        await request.query('SELECT * FROM things')
        const { schema } = createLaterBuild(1)
        const more: Migration = {
          name: '9002-more',
          sql: 'ALTER TABLE things ADD COLUMN more integer',
          step: 'add',
        }
        const migrating = migrate(db, { schema: { ...schema, migrations: [...schema.migrations, more] } })
        const isWaiting = async () =>
          (
            await db.query<{ waits: boolean }>(
              `SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'things'::regclass AND NOT granted) AS waits`,
            )
          ).rows[0]!.waits
        await expect.poll(isWaiting).toBe(true)
        // It has given way: later transactions do not wait.
        await expect.poll(isWaiting).toBe(false)
        await request.query('COMMIT')
        expect(await migrating).toEqual([])
      } finally {
        await request.end()
      }
    },
  )

  test.skipIf(skip)('a start whose migration or function fails changes nothing', async () => {
    const before = await readMarks(db)
    const { functions, functionsVersion, migrations } = createLaterBuild(1, defineAnswer(1)).schema
    const broken =
      'CREATE OR REPLACE FUNCTION test_broken() RETURNS integer LANGUAGE sql AS $$ SELECT nobody $$;'
    expect(
      await readError(
        migrate(db, {
          schema: { migrations, functionsVersion, functions: [...functions, parseSqlFunction(broken)] },
        }),
      ),
    ).toContain('nobody')
    const again: Migration = { name: '9002-again', sql: 'CREATE TABLE things (id integer)', step: 'add' }
    const twice = [...migrations, again]
    expect(
      await readError(migrate(db, { schema: { migrations: twice, functionsVersion, functions } })),
    ).toContain('already exists')
    expect(await readMarks(db)).toEqual(before)
  })
})
