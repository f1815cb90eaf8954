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
import { FUNCTIONS, FUNCTIONS_VERSION, sqlFunction } from '../../../src/storage/schema/functions/functions.ts'
import { type Migration, migrate, SCHEMA, type Schema } from '../../../src/storage/schema/migrate.ts'

const DATABASE_URL = process.env.DATABASE_URL

/** A build with more than this one: further functions, a table for their triggers. */
function laterBuild(versionsLater: number, ...functions: readonly string[]) {
  const schema: Schema = {
    migrations: [
      ...SCHEMA.migrations,
      { name: '9001-things', sql: 'CREATE TABLE things (id integer PRIMARY KEY)', step: 'add' },
    ],
    functions: [...FUNCTIONS, ...functions.map(sqlFunction)],
    functionsVersion: FUNCTIONS_VERSION + versionsLater,
  }
  return { schema }
}

/** With a last step, after which the build before cannot be used. */
function laterRelease(...more: readonly Migration[]) {
  const { schema } = laterBuild(1)
  return { schema: { ...schema, migrations: [...schema.migrations, ...more, LAST_STEP] } }
}

const LAST_STEP: Migration = {
  name: '9009-end',
  sql: 'ALTER TABLE things ADD COLUMN ended integer',
  step: 'end',
}

const answers = (value: number) =>
  `CREATE OR REPLACE FUNCTION test_answer() RETURNS integer LANGUAGE sql AS $$ SELECT ${value} $$;`

/** A value that the baseline initializes, and a restore raises. */
const FEED_BASE = 'feed_base'

/** Refuses every change of this kind to `things`. */
const refuses = (change: 'INSERT' | 'DELETE', name = 'test_refuse') => `
CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'no %', TG_OP;
END $$;
CREATE TRIGGER things_refuse_${change.toLowerCase()} BEFORE ${change} ON things
  FOR EACH STATEMENT EXECUTE FUNCTION ${name}();`

/** Removes all of that. */
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
] as const)('$kind', ({ kind, skip }) => {
  const dataDir = temporaryFolder()
  let own: PostgresDatabase | undefined
  /** Two processes; the same one twice on the embedded database, which only one can have. */
  let db: Database
  let other: Database

  /** A new database, on which two processes start at the same time. */
  beforeAll(async () => {
    if (skip) return
    if (kind === 'postgres') own = await createPostgresDatabase(DATABASE_URL!)
    db = await openDatabase({ databaseUrl: own?.url, dataDir })
    other = own ? await openPostgres(own.url) : db
    let waiting = 2
    let proceed = () => {}
    const bothHaveLooked = new Promise<void>((resolve) => {
      proceed = resolve
    })
    const start = (process: Database) =>
      migrate({
        ...process,
        script: async (sql) => {
          waiting -= 1
          if (waiting === 0) proceed()
          await bothHaveLooked
          await process.script(sql)
        },
      })
    await Promise.all([start(db), start(other)])
  })
  afterEach(async () => {
    if (!skip) await db.script(REMOVE_LATER)
  })
  afterAll(async () => {
    if (own) await other.close()
    await db?.close()
    await own?.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  async function namesIn(db: Database, sql: string): Promise<string[]> {
    return (await db.query<{ name: string }>(sql)).rows.map(({ name }) => name).sort()
  }

  const functionsOf = (db: Database) =>
    namesIn(db, `SELECT proname::text AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace`)

  /** The rows about applied migrations and functions, with the transactions that wrote them. */
  async function marks(db: Database): Promise<unknown> {
    const { rows } = await db.query(`
      SELECT name, xmin::text AS written FROM migrations UNION ALL SELECT name, xmin::text FROM schema_additions
      UNION ALL SELECT name, xmin::text FROM schema_functions
      UNION ALL SELECT oid::text, xmin::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      UNION ALL SELECT oid::text, xmin::text FROM pg_trigger ORDER BY name`)
    return rows
  }

  async function answerOf(db: Database): Promise<number> {
    return (await db.query<{ answer: number }>('SELECT test_answer() AS answer')).rows[0]!.answer
  }

  /** The error's message. */
  const failing = (work: Promise<unknown>) =>
    work.then(
      () => 'nothing failed',
      (error: Error) => error.message,
    )

  test.skipIf(skip)('two starts at the same time on a new database apply everything once', async () => {
    expect(
      await namesIn(db, 'SELECT name FROM migrations UNION ALL SELECT name FROM schema_additions'),
    ).toEqual(SCHEMA.migrations.map(({ name }) => name).sort())
    const names = FUNCTIONS.map(({ name }) => name).sort()
    expect(await namesIn(db, 'SELECT name FROM schema_functions')).toEqual(names)
    expect(await functionsOf(db)).toEqual([...names, FEED_BASE].sort())
    const tables = await namesIn(db, `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`)
    expect(tables).toEqual(expect.arrayContaining(['customers', 'jobs', 'ledger_transfers', 'transactions']))
  })

  test.skipIf(skip)('a start on an up-to-date database changes nothing', async () => {
    const before = await marks(db)
    await migrate(db)
    expect(await marks(db)).toEqual(before)
  })

  test.skipIf(skip)(
    'the next start applies a changed body, and nothing else',
    { tags: 'smoke' },
    async () => {
      await migrate(db, laterBuild(1, answers(1)))
      // By the third time the statement is prepared.
      for (let time = 0; time < 3; time += 1) expect(await answerOf(db)).toBe(1)
      const unchanged = async () =>
        (
          await other.query(`SELECT oid, xmin::text AS written FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace AND proname <> 'test_answer' ORDER BY oid`)
        ).rows
      const before = await unchanged()
      await migrate(other, laterBuild(2, answers(2)))
      expect(await answerOf(other)).toBe(2)
      expect(await answerOf(db)).toBe(2)
      expect(await unchanged()).toEqual(before)
    },
  )

  test.skipIf(skip)('a function with other arguments replaces the old one', async () => {
    await migrate(db, laterBuild(1, answers(1)))
    const withArgument =
      'CREATE OR REPLACE FUNCTION test_answer(n integer) RETURNS bigint LANGUAGE sql AS $$ SELECT n::bigint $$;'
    await migrate(db, laterBuild(2, withArgument))
    expect((await functionsOf(db)).filter((name) => name === 'test_answer')).toHaveLength(1)
    expect((await db.query('SELECT test_answer(3) AS answer')).rows).toEqual([{ answer: 3n }])
  })

  test.skipIf(skip)(
    'a function that the code no longer has is dropped with the last step, and its triggers',
    async () => {
      await migrate(db, laterBuild(1, answers(1), refuses('INSERT')))
      expect(await failing(db.query('INSERT INTO things VALUES (1)'))).toBe('no INSERT')
      await migrate(db, { ...laterBuild(2), isLast: true })
      expect(await functionsOf(db)).toEqual([...FUNCTIONS.map(({ name }) => name), FEED_BASE].sort())
      await db.query('INSERT INTO things VALUES (1)')
    },
  )

  test.skipIf(skip)('a changed function has the triggers of its new text only', async () => {
    await migrate(db, laterBuild(1, refuses('INSERT'), refuses('DELETE', 'test_other')))
    // Each creates the trigger that the other one had.
    await migrate(db, laterBuild(2, refuses('DELETE'), refuses('INSERT', 'test_other')))
    const triggers =
      await db.query(`SELECT tgname::text AS name, tgfoid::regproc::text AS calls FROM pg_trigger
      WHERE tgrelid = 'things'::regclass ORDER BY 1`)
    expect(triggers.rows).toEqual([
      { name: 'things_refuse_delete', calls: 'test_refuse' },
      { name: 'things_refuse_insert', calls: 'test_other' },
    ])
    await migrate(db, { ...laterBuild(3, refuses('DELETE')), isLast: true })
    await db.query('INSERT INTO things VALUES (1)')
    expect(await failing(db.query('DELETE FROM things'))).toBe('no DELETE')
  })

  test.skipIf(skip)(
    'a build tolerates additions of a newer one, and leaves its functions alone',
    async () => {
      await migrate(db, laterBuild(1, answers(2)))
      const before = await marks(db)
      expect(await migrate(other)).toEqual([])
      await migrate(other, laterBuild(0, answers(1)))
      expect(await marks(db)).toEqual(before)
      expect(await answerOf(db)).toBe(2)
    },
  )

  test.skipIf(skip)(
    'the last step waits for a request if servers of the previous release may run',
    async () => {
      const left = await migrate(db, laterRelease())
      expect(left).toEqual(kind === 'embedded' ? [] : ['9009-end'])
      if (kind === 'postgres') await migrate(other)
      expect(await migrate(db, { ...laterRelease(), isLast: true })).toEqual([])
      await db.query('SELECT ended FROM things')
      expect(await migrate(db, laterRelease())).toEqual([])
    },
  )

  test.skipIf(skip)('a release that follows an unfinished upgrade finishes it', async () => {
    await migrate(db, laterRelease())
    const { schema } = laterRelease()
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
      await migrate(db, { ...laterRelease(), isLast: true })
      const before = await marks(db)
      expect(await failing(migrate(db))).toBe(
        'This database has migrations that this build does not know (9009-end). ' +
          'Run the build that last used it, or a newer one.',
      )
      expect(await marks(db)).toEqual(before)
    },
  )

  test.skipIf(skip)('a database of a build before the baseline is refused, and stays unchanged', async () => {
    await db.script(`UPDATE migrations SET name = '0001-baseline-2' WHERE name = '${BASELINE_NAME}'`)
    const before = await marks(db)
    expect(await failing(migrate(db))).toBe(
      'This database was created before the first release and cannot be upgraded. ' +
        'Start with a new data directory, or with an empty PostgreSQL database.',
    )
    expect(await marks(db)).toEqual(before)
    await db.script(`UPDATE migrations SET name = '${BASELINE_NAME}' WHERE name = '0001-baseline-2'`)
  })

  test.skipIf(kind === 'embedded' || skip)(
    'a migration gives way to requests that hold its locks',
    async () => {
      await migrate(db, laterBuild(1))
      const request = new pg.Client({ connectionString: own!.url })
      await request.connect()
      try {
        // It only reads, so that the feeds of other tests continue.
        await request.query('BEGIN')
        await request.query('SELECT * FROM things')
        const { schema } = laterBuild(1)
        const more: Migration = {
          name: '9002-more',
          sql: 'ALTER TABLE things ADD COLUMN more integer',
          step: 'add',
        }
        const changed = migrate(db, { schema: { ...schema, migrations: [...schema.migrations, more] } })
        const tried = async () =>
          (
            await db.query<{ waits: boolean }>(
              `SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'things'::regclass AND NOT granted) AS waits`,
            )
          ).rows[0]!.waits
        await expect.poll(tried).toBe(true)
        // It has given way: later transactions do not wait.
        await expect.poll(tried).toBe(false)
        await request.query('COMMIT')
        expect(await changed).toEqual([])
      } finally {
        await request.end()
      }
    },
  )

  test.skipIf(skip)('a start whose migration or function fails changes nothing', async () => {
    const before = await marks(db)
    const { functions, functionsVersion, migrations } = laterBuild(1, answers(1)).schema
    const broken =
      'CREATE OR REPLACE FUNCTION test_broken() RETURNS integer LANGUAGE sql AS $$ SELECT nobody $$;'
    expect(
      await failing(
        migrate(db, {
          schema: { migrations, functionsVersion, functions: [...functions, sqlFunction(broken)] },
        }),
      ),
    ).toContain('nobody')
    const again: Migration = { name: '9002-again', sql: 'CREATE TABLE things (id integer)', step: 'add' }
    const twice = [...migrations, again]
    expect(
      await failing(migrate(db, { schema: { migrations: twice, functionsVersion, functions } })),
    ).toContain('already exists')
    expect(await marks(db)).toEqual(before)
  })
})
