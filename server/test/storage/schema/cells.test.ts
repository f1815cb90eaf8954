import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import {
  copyEmptyDatabase,
  createPostgresDatabase,
  type PostgresDatabase,
  TEST_MASTER_KEY,
  temporaryFolder,
} from '../../../../test/databases.testing.ts'
import { readConfig } from '../../../src/base/settings/config.ts'
import { moveToPostgres } from '../../../src/edge/backups/move-to-postgres.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { openDatabase } from '../../../src/storage/engine/open.ts'
import { openPostgres } from '../../../src/storage/engine/postgres.ts'
import { checkCell, listCells } from '../../../src/storage/schema/cells.ts'
import { migrate, SCHEMA } from '../../../src/storage/schema/migrate.ts'
import { findUpgradeStatus, finishUpgrade } from '../../../src/storage/schema/upgrade.ts'
import { Client, fund, newCustomer } from '../../worlds/client.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import { hasPooler, startCluster, startPooler } from '../../worlds/server-process.testing.ts'
import { Receiver } from '../../worlds/simulators/webhook-receiver.testing.ts'

const DATABASE_URL = process.env.DATABASE_URL
const isPoolerMissing = !(await hasPooler())

/** The next build, which has one more table. */
const NEXT_BUILD = {
  schema: {
    ...SCHEMA,
    migrations: [
      ...SCHEMA.migrations,
      { name: '9001-things', sql: 'CREATE TABLE things (id integer PRIMARY KEY)', step: 'add' as const },
    ],
  },
}

describe.skipIf(DATABASE_URL === undefined)('two cells in one database', () => {
  let database: PostgresDatabase
  let admin: pg.Client
  let firstServer: TestServer
  let secondServer: TestServer
  let client: Client
  /** A client of the second cell, with the same platform and token. */
  let secondClient: Client
  let usd: string

  const startServer = (schema: string) => openServer({ DATABASE_URL: database.url, DATABASE_SCHEMA: schema })
  const listNames = async (sql: string) =>
    (await admin.query<{ name: string }>(sql)).rows.map(({ name }) => name)

  beforeAll(async () => {
    database = await createPostgresDatabase(DATABASE_URL ?? '')
    admin = new pg.Client({ connectionString: database.url })
    await admin.connect()
    firstServer = await startServer('cell_one')
    client = await firstServer.newPlatform()
    usd = (await newCustomer(client)).usd
    const dump = execFileSync('pg_dump', ['--schema=cell_one', '--no-owner', database.url], {
      maxBuffer: 1 << 30,
    })
    const copy = dump.toString().replaceAll('cell_one', 'cell_two')
    execFileSync('psql', ['--quiet', '--set=ON_ERROR_STOP=1', database.url], { input: copy, stdio: 'pipe' })
    secondServer = await startServer('cell_two')
    secondClient = new Client(client.credentials, secondServer.baseUrl)
  })
  afterAll(async () => {
    await Promise.all([firstServer?.close(), secondServer?.close()])
    await admin?.end()
    await database?.drop()
  })

  const readBalance = async (server: TestServer) =>
    Number(
      (
        await server.app.db.query<{ amount: bigint }>(
          'SELECT posted AS amount FROM ledger_accounts WHERE id = $1',
          [extractUuid(usd)],
        )
      ).rows[0]?.amount,
    )

  test('create nothing outside of their schemas', async () => {
    expect(
      await listNames(`SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace`),
    ).toEqual([])
    expect(
      await listNames(`SELECT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace`),
    ).toEqual([])
  })

  test('serve the same ids and idempotency keys, and neither sees the rows of the other', async () => {
    const headers = { 'Idempotency-Key': 'the-same-key' }
    const buildCustomer = (fullName: string) => ({
      customerType: 'INDIVIDUAL',
      fullName,
      platformCustomerId: 'same',
    })
    const [first, second] = await Promise.all([
      client.post('/customers', buildCustomer('Ada'), headers),
      secondClient.post('/customers', buildCustomer('Grace'), headers),
    ])
    expect([first.status, second.status]).toEqual([201, 201])
    expect((await client.post('/customers', buildCustomer('Ada'), headers)).body.id).toBe(first.body.id)
    expect((await client.get(`/customers/${second.body.id}`)).status).toBe(404)
    expect((await secondClient.get(`/customers/${first.body.id}`)).status).toBe(404)
    await fund(client, usd, 700)
    await fund(secondClient, usd, 30)
    expect([await readBalance(firstServer), await readBalance(secondServer)]).toEqual([700, 30])
    const amounts = await admin.query(
      `SELECT (SELECT count(*)::int FROM cell_one.ledger_transfers) AS one, (SELECT count(*)::int FROM cell_two.ledger_transfers) AS other`,
    )
    expect(amounts.rows).toEqual([{ one: 1, other: 1 }])
  })

  test('run their own jobs and send their own webhooks, even if the other server is stopped', async () => {
    const [first, second] = [await Receiver.of(client), await Receiver.of(secondClient)]
    const platform = client.credentials.platformId
    await fund(secondClient, usd, 5)
    await secondClient.advance(0)
    await second.until((all) => all.length > 0)
    expect(first.received).toEqual([])
    await firstServer.close()
    await fund(secondClient, usd, 6)
    await secondClient.advance(0)
    await second.until((all) => all.length > 1)
    firstServer = await startServer('cell_one')
    client = new Client(client.credentials, firstServer.baseUrl)
    await fund(client, usd, 7)
    await client.advance(0)
    await first.until((all) => all.length > 0)
    expect(first.received).toHaveLength(1)
    expect(second.received).toHaveLength(2)
    expect(new Set([...first.received, ...second.received].map(({ event }) => event.objectId))).toEqual(
      new Set([usd]),
    )
    expect(client.credentials.platformId).toBe(platform)
  })

  test('are upgraded separately: a server of an older release counts in its own cell only', async () => {
    const dbs = await Promise.all(
      ['cell_one', 'cell_two'].map((schema) => openPostgres(database.url, { schema })),
    )
    const [first, second] = [dbs[0] ?? firstServer.app.db, dbs[1] ?? secondServer.app.db]
    const old = new pg.Client({
      connectionString: database.url,
      application_name: 'countersign 0.0.1 cell_two',
    })
    await old.connect()
    try {
      await migrate(first, NEXT_BUILD)
      const tables = `SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE tablename = 'things'`
      expect(await listNames(tables)).toEqual(['cell_one.things'])
      expect((await findUpgradeStatus(second)).otherServers).toEqual(['countersign 0.0.1 cell_two'])
      expect((await findUpgradeStatus(first)).otherServers).toEqual([])
      expect(await finishUpgrade(first, false)).toEqual([])
    } finally {
      await old.end()
      await first.script(
        `DROP TABLE IF EXISTS things; DELETE FROM schema_additions WHERE name = '9001-things'`,
      )
      for (const db of dbs) await db.close()
    }
  })

  test("do not wait for each other's locks", async () => {
    await admin.query('BEGIN')
    try {
      await admin.query(`SELECT pg_advisory_xact_lock(hashtextextended('cell_two', key)) FROM
        unnest(ARRAY[7202510132, 7202510133, 7202510134, 7202510135, 7202510136]) AS key`)
      const db = await openPostgres(database.url, { schema: 'cell_one' })
      await migrate(db, NEXT_BUILD)
      await db.script(`DROP TABLE things; DELETE FROM schema_additions WHERE name = '9001-things'`)
      await db.close()
      await fund(client, usd, 1)
    } finally {
      await admin.query('ROLLBACK')
    }
  })

  test('are listed with their servers, and a check names what does not belong to a cell', async () => {
    const platforms = { mode: 'sandbox', platforms: 1, isOfThisBuild: true }
    const describeServers = (schema: string) => [
      expect.stringMatching(new RegExp(`^countersign \\S+ ${schema}$`)),
    ]
    expect(await listCells(firstServer.app.db)).toEqual([
      { schema: 'cell_one', isOwn: true, ...platforms, servers: describeServers('cell_one') },
      { schema: 'cell_two', isOwn: false, ...platforms, servers: describeServers('cell_two') },
    ])
    expect(await checkCell(firstServer.app.db)).toEqual({ schema: 'cell_one', findings: [] })
    await admin.query(
      `ALTER TABLE cell_one.events ALTER COLUMN position SET DEFAULT nextval('cell_two.events_positions')`,
    )
    const { findings } = await checkCell(firstServer.app.db)
    expect(findings).toContain(
      'events uses sequence cell_two.events_positions: move it into cell_one, or restore the schema from a backup.',
    )
    await admin.query(
      `ALTER TABLE cell_one.events ALTER COLUMN position SET DEFAULT nextval('cell_one.events_positions')`,
    )
    expect((await checkCell(firstServer.app.db)).findings).toEqual([])
  })

  test('can be renamed, because nothing in a schema refers to its name', async () => {
    await firstServer.close()
    await admin.query('ALTER SCHEMA cell_one RENAME TO cell_renamed')
    firstServer = await startServer('cell_renamed')
    client = new Client(client.credentials, firstServer.baseUrl)
    const before = await readBalance(firstServer)
    await fund(client, usd, 9)
    expect(await readBalance(firstServer)).toBe(before + 9)
    expect((await client.events(`&objectId=${usd}`)).length).toBeGreaterThan(1)
  })
})

test.skipIf(DATABASE_URL === undefined)(
  'an embedded database moves into a cell, next to another one, and its feed continues there',
  async () => {
    const database = await createPostgresDatabase(DATABASE_URL ?? '')
    const dataDir = temporaryFolder()
    await copyEmptyDatabase(inject('emptyDatabase'), dataDir)
    const neighbour = await openServer({ DATABASE_URL: database.url, DATABASE_SCHEMA: 'cell_two' })
    try {
      const settings = { COUNTERSIGN_DATA_DIR: dataDir, DATABASE_URL: '', DATABASE_SCHEMA: '' }
      const embedded = await openServer(settings)
      const client = await embedded.newPlatform()
      const { id } = await newCustomer(client)
      const before = (await client.events()).map((event) => event.id)
      await embedded.server.close()
      await embedded.app.db.close()
      const config = readConfig({
        COUNTERSIGN_DATA_DIR: dataDir,
        COUNTERSIGN_MASTER_KEY: TEST_MASTER_KEY,
        DATABASE_SCHEMA: 'cell_one',
      })
      const { verified } = await moveToPostgres(config, dataDir, database.url)
      expect(verified.findings).toEqual([])
      const moved = await openServer({ DATABASE_URL: database.url, DATABASE_SCHEMA: 'cell_one' })
      const movedClient = new Client(client.credentials, moved.baseUrl)
      expect((await movedClient.get(`/customers/${id}`)).status).toBe(200)
      expect((await movedClient.events()).map((event) => event.id).slice(0, before.length)).toEqual(before)
      expect(await neighbour.app.db.query('SELECT FROM customers')).toMatchObject({ rows: [] })
      await moved.close()
    } finally {
      await neighbour.close()
      await database.drop()
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
)

test('the embedded database has one schema', async () => {
  await expect(openDatabase({ dataDir: 'unused', databaseSchema: 'cell_one' })).rejects.toThrow(
    'DATABASE_SCHEMA requires DATABASE_URL: the embedded database has one schema.',
  )
})

describe.skipIf(DATABASE_URL === undefined)('a schema that a role may not create', () => {
  test('is reported with the statement that fixes it', async () => {
    const database = await createPostgresDatabase(DATABASE_URL ?? '')
    const admin = await openPostgres(database.url)
    const role = `cell_role_${process.pid}`
    await admin.query(`CREATE ROLE ${role} LOGIN`)
    try {
      const url = new URL(database.url)
      url.username = role
      const db = await openPostgres(url.href, { schema: 'cell_one' })
      await expect(migrate(db)).rejects.toThrow(
        `Run CREATE SCHEMA cell_one AUTHORIZATION "${role}", or GRANT ALL ON SCHEMA cell_one TO "${role}"`,
      )
      await admin.query(`CREATE SCHEMA cell_one AUTHORIZATION ${role}`)
      await migrate(db)
      await db.close()
    } finally {
      await admin.script(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`)
      await admin.close()
      await database.drop()
    }
  })
})

describe.skipIf(DATABASE_URL === undefined || isPoolerMissing)(
  'a cell behind pgbouncer (skipped without it)',
  () => {
    test('is refused until the role has the schema, and is never served from another schema', async () => {
      const cluster = await startCluster()
      const pooler = await startPooler(cluster, 'transaction')
      const admin = await openPostgres(cluster.url)
      try {
        for (const setting of [
          "TimeZone = 'UTC'",
          "default_transaction_isolation = 'read committed'",
          'enable_seqscan = off',
          'jit = off',
          'search_path = cell_one, public',
        ])
          await admin.query(`ALTER DATABASE postgres SET ${setting}`)
        const openCell = () => openPostgres(pooler.url, { schema: 'cell_one', prepares: false })
        await expect(openCell()).rejects.toThrow(
          `search_path = cell_one, public: a pooler has dropped our options. Run ALTER ROLE "postgres" SET search_path = 'cell_one';`,
        )
        await admin.query(`ALTER ROLE postgres SET search_path = 'cell_one'`)
        await pooler.stop()
        const next = await startPooler(cluster, 'transaction')
        const db = await openPostgres(next.url, { schema: 'cell_one', prepares: false })
        await migrate(db)
        expect(
          (await db.query(`SELECT DISTINCT schemaname AS name FROM pg_tables WHERE tablename = 'platforms'`))
            .rows,
        ).toEqual([{ name: 'cell_one' }])
        await expect(openPostgres(next.url, { schema: 'cell_two', prepares: false })).rejects.toThrow(
          `Run ALTER ROLE "postgres" SET search_path = 'cell_two';`,
        )
        await db.close()
        await next.stop()
      } finally {
        await admin.close()
        await cluster.stop()
      }
    })
  },
)
