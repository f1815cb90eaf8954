import { rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { copyEmptyDatabase, temporaryFolder } from '../../../../test/databases.testing.ts'
import { listen } from '../../../../test/ports.testing.ts'
import { toApiError } from '../../../src/edge/http/response/errors.ts'
import { extractUuid, NIL_UUID } from '../../../src/storage/engine/ids.ts'
import { openDatabase } from '../../../src/storage/engine/open.ts'
import { type Database, NoConnection, readSqlState, wasRefused } from '../../../src/storage/engine/port.ts'
import { openPostgres } from '../../../src/storage/engine/postgres.ts'
import { testId } from '../../worlds/records/payments.testing.ts'

const DATABASE_URL = process.env.DATABASE_URL
const MAX = 2n ** 63n - 1n

describe.each([
  { kind: 'embedded', skip: false },
  { kind: 'postgres', skip: DATABASE_URL === undefined },
])('on the $kind database', ({ kind, skip }) => {
  let dataDir: string
  let db: Database

  beforeAll(async () => {
    if (skip) return
    dataDir = temporaryFolder()
    if (kind === 'embedded') await copyEmptyDatabase(inject('emptyDatabase'), dataDir)
    db = await openDatabase({ databaseUrl: kind === 'postgres' ? DATABASE_URL : undefined, dataDir })
    await db.script(`
      DROP TABLE IF EXISTS port_children;
      DROP TABLE IF EXISTS port_rows;
      CREATE TABLE port_rows (id int8 PRIMARY KEY, amount int8 CONSTRAINT port_positive CHECK (amount > 0));
      CREATE TABLE port_children (id int8 CONSTRAINT port_parent REFERENCES port_rows, name text NOT NULL);
    `)
  })
  afterAll(async () => {
    if (skip) return
    await db.script('DROP TABLE port_children; DROP TABLE port_rows')
    await db.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  /** Sends a value to the database and back, three times, so that the last uses a prepared statement. */
  async function roundTrip(type: string, value: unknown): Promise<unknown> {
    const results: unknown[] = []
    for (let time = 0; time < 3; time += 1) {
      results.push(
        (await db.query<{ value: unknown }>(`SELECT $1::${type} AS value`, [value])).rows[0]?.value,
      )
    }
    expect(results[1]).toEqual(results[0])
    expect(results[2]).toEqual(results[0])
    return results[0]
  }

  test.skipIf(skip).each([
    ['int8', MAX],
    ['int8', -MAX - 1n],
    ['int8', 0n],
    ['int4', -2_147_483_648],
    ['bool', true],
    ['bool', false],
    ['text', 'naïve 漢字 🪙 \\ " \' {} \n\t'],
    ['text', ''],
    ['text', null],
    ['timestamptz', new Date('2025-10-13T11:22:33.456Z')],
    ['timestamptz', new Date('1883-11-18T12:00:00.001Z')],
    ['timestamptz', new Date('9999-12-31T23:59:59.999Z')],
    ['timestamptz', null],
    ['jsonb', { a: MAX, b: [1, -(2n ** 70n), 1.5, 'é🪙', null, true], c: { d: {} } }],
    ['json', { big: 9_007_199_254_740_993n, small: 1 }],
    ['jsonb', null],
    ['bytea', Buffer.from([0, 255, 92, 39, 0])],
    ['bytea', Buffer.alloc(0)],
    ['int8[]', [MAX, null, -MAX - 1n]],
    ['text[]', ['a,b', 'quote " \\ back', 'NULL', null, '', '漢字']],
    [
      'int4[]',
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ['timestamptz[]', [new Date('2025-10-13T11:22:33.456Z')]],
    ['jsonb[]', [{ a: MAX, b: 'x"y\\z' }, null]],
    ['bytea[]', [Buffer.from([0, 1, 2]), Buffer.alloc(0)]],
    ['bool[]', [true, false, null]],
    ['int8[]', []],
    ['numeric', '12345678901234567890.000000000000000001'],
    ['date', '2025-10-13'],
    ['timestamp', '2025-10-13 11:22:33.456'],
  ])('the type %s stores and returns %o unchanged', async (type, value) => {
    expect(await roundTrip(type, value)).toEqual(value)
  })

  test.skipIf(skip)('a uuid is read as the id of the kind in its last byte', async () => {
    const ids = [testId('Platform', 1), null, testId('Job', 1)]
    const uuids = ids.map((id) => id && extractUuid(id))
    expect(await roundTrip('uuid', uuids[0])).toBe(ids[0])
    expect(await roundTrip('uuid', null)).toBeNull()
    expect(await roundTrip('uuid[]', uuids)).toEqual(ids)
    await expect(db.query(`SELECT '${NIL_UUID}'::uuid`)).rejects.toThrow('not a uuid of a known kind')
    // The connection still works.
    expect(await roundTrip('int4', 1)).toBe(1)
  })

  test.skipIf(skip)('a Uint8Array is stored as its bytes, even as a part of a buffer', async () => {
    const view = new Uint8Array([9, 1, 2, 3, 9]).subarray(1, 4)
    expect(await roundTrip('bytea', view)).toEqual(Buffer.from([1, 2, 3]))
  })

  test.skipIf(skip)('a JSON array is passed as a string parameter', async () => {
    expect(await roundTrip('jsonb', '[1,{"a":9223372036854775807}]')).toEqual([1, { a: MAX }])
  })

  test.skipIf(skip)("the session is in UTC and read committed, whatever the machine's settings", async () => {
    const { rows } = await db.query(`SELECT current_setting('TimeZone') AS zone,
      current_setting('transaction_isolation') AS isolation, timestamptz '2025-10-13T23:30:00Z'::text AS text`)
    expect(rows).toEqual([{ zone: 'UTC', isolation: 'read committed', text: '2025-10-13 23:30:00+00' }])
  })

  test.skipIf(skip)('the affected count includes changed rows, not selected ones', async () => {
    const insert = 'INSERT INTO port_rows SELECT g, 1 FROM generate_series(10, 14) g RETURNING id'
    expect(await db.query(insert)).toEqual({
      rows: [10n, 11n, 12n, 13n, 14n].map((id) => ({ id })),
      affected: 5,
    })
    expect((await db.query('SELECT * FROM port_rows WHERE id >= 10')).affected).toBe(0)
    expect((await db.query('UPDATE port_rows SET amount = 2 WHERE id > 11')).affected).toBe(3)
    expect((await db.query('DELETE FROM port_rows WHERE id >= 10')).affected).toBe(5)
  })

  test.skipIf(skip)('errors carry their code, constraint and detail', async () => {
    const outcome = async (sql: string, parameters?: unknown[]) => {
      const error = await db.query(sql, parameters).then(
        () => undefined,
        (reason) => reason,
      )
      return {
        state: readSqlState(error),
        constraint: error.constraint,
        detail: error.detail,
        message: error.message,
      }
    }
    await db.query('INSERT INTO port_rows VALUES (1, 1)')
    expect(await outcome('INSERT INTO port_rows VALUES ($1, 1)', [1n])).toEqual({
      state: '23505',
      constraint: 'port_rows_pkey',
      detail: 'Key (id)=(1) already exists.',
      message: 'duplicate key value violates unique constraint "port_rows_pkey"',
    })
    expect(await outcome('INSERT INTO port_rows VALUES (2, 0)')).toMatchObject({
      state: '23514',
      constraint: 'port_positive',
    })
    expect(await outcome("INSERT INTO port_children VALUES (3, 'x')")).toMatchObject({
      state: '23503',
      constraint: 'port_parent',
    })
    const states = {
      'INSERT INTO port_children VALUES (1, NULL)': '23502',
      'SELECT 9223372036854775807::int8 + 1': '22003',
      'SELECT 1 / 0': '22012',
      'SELECT * FROM nowhere': '42P01',
      'SELEC 1': '42601',
      "SELECT 'x'::uuid": '22P02',
      "DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$": '40001',
    }
    for (const [sql, state] of Object.entries(states))
      expect(await outcome(sql), sql).toMatchObject({ state })
  })

  test.skipIf(skip)('a failing statement does not affect concurrent ones', async () => {
    const statement = 'INSERT INTO port_rows VALUES ($1, $2)'
    const results = await Promise.allSettled([
      db.query(statement, [100n, 1n]),
      db.query(statement, [100n, 0n]),
      db.query(statement, [101n, 0n]),
      db.query('SELECT * FROM nowhere WHERE id = $1', [1]),
      db.query('SELECT * FROM nowhere WHERE id = $1', [1]),
      db.query('SELECT * FROM nowhere WHERE id = $1', [1]),
      db.query(statement, [102n, 1n]),
    ])
    expect(
      results.map((result) => (result.status === 'fulfilled' ? 'done' : readSqlState(result.reason))),
    ).toEqual(['done', '23514', '23514', '42P01', '42P01', '42P01', 'done'])
    expect((await db.query('SELECT count(*) FROM port_rows WHERE id >= 100')).rows).toEqual([{ count: 2n }])
  })

  test.skipIf(skip)('a script is one transaction', async () => {
    await expect(
      db.script('INSERT INTO port_rows VALUES (200, 1); INSERT INTO port_rows VALUES (201, 0)'),
    ).rejects.toMatchObject({ code: '23514' })
    expect((await db.query('SELECT * FROM port_rows WHERE id >= 200')).rows).toEqual([])
  })

  test.skipIf(skip)('a prepared statement survives a change of its table', async () => {
    const statement = 'SELECT * FROM port_rows WHERE id = $1'
    await db.query('INSERT INTO port_rows VALUES (300, 1)')
    for (let time = 0; time < 3; time += 1) await db.query(statement, [300n])
    await db.script("ALTER TABLE port_rows ADD COLUMN note text DEFAULT 'new'")
    expect((await db.query(statement, [300n])).rows).toEqual([{ id: 300n, amount: 1n, note: 'new' }])
  })

  test.skipIf(skip)('no statement can leave a transaction open', async () => {
    for (const sql of ['BEGIN', ' start transaction', 'COMMIT', 'savepoint a']) {
      await expect(db.query(sql)).rejects.toThrow('its own transaction')
    }
  })
})

describe('an unusable DATABASE_URL is reported in one line without the password', () => {
  test.each([
    [
      'postgres://me:s3cret@127.0.0.1:1/shop',
      /^DATABASE_URL: cannot use PostgreSQL at 127\.0\.0\.1:1\/shop: .*ECONNREFUSED/,
    ],
    [
      'postgres://me:s3cret@no-such-host.invalid/shop',
      /^DATABASE_URL: cannot use PostgreSQL at no-such-host\.invalid:5432\/shop: /,
    ],
    ['mysql://me:s3cret@127.0.0.1/shop', /^DATABASE_URL must be a postgres: URL, not a mysql: URL\.$/],
    ['me:s3cret@:x', /^DATABASE_URL must /],
    ['s3cret', /^DATABASE_URL must be an address/],
  ])('%s', async (url, message) => {
    const error: Error = await openPostgres(url).then(
      () => new Error('opened'),
      (reason) => reason,
    )
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain('\n')
    expect(`${error.stack} ${JSON.stringify(error.cause)}`).not.toContain('s3cret')
  })
})

test.skipIf(DATABASE_URL === undefined)('a connection that breaks while idle is replaced', async () => {
  const db = await openPostgres(DATABASE_URL ?? '', { poolMax: 1 })
  const otherDb = await openPostgres(DATABASE_URL ?? '', { poolMax: 1 })
  const { rows } = await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  await otherDb.query('SELECT pg_terminate_backend($1, 5000)', [rows[0]?.pid])
  // At most the next statement may fail on the broken connection.
  await db.query('SELECT 1').catch(() => {})
  expect((await db.query('SELECT 2 AS two')).rows).toEqual([{ two: 2 }])
  await db.close()
  await otherDb.close()
})

test.skipIf(DATABASE_URL === undefined)('a refused statement keeps its connection open', async () => {
  const db = await openPostgres(DATABASE_URL ?? '', { poolMax: 1 })
  const readPid = async () => (await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid
  const before = await readPid()
  await expect(db.query('SELECT 1 / 0')).rejects.toThrow('division by zero')
  expect(await readPid()).toBe(before)
  await db.close()
})

test.skipIf(DATABASE_URL === undefined)('a short statement does not wait for a long one', async () => {
  const db = await openPostgres(DATABASE_URL ?? '', { poolMax: 1 })
  const otherDb = await openPostgres(DATABASE_URL ?? '', { poolMax: 1 })
  const key = Number(process.pid)
  await otherDb.query('SELECT pg_advisory_lock($1::bigint)', [key])
  const longStatement = db.query('SELECT pg_advisory_lock($1::bigint)', [key])
  expect((await db.query('SELECT 1 AS one', [], { connection: 'fast' })).rows).toEqual([{ one: 1 }])
  await otherDb.close()
  await longStatement
  await db.close()
})

describe.skipIf(DATABASE_URL === undefined)('a database behind a connection', () => {
  test('gets a new connection if the first stops responding, and the statement fails with an unknown outcome', async () => {
    const proxy = await openProxy(DATABASE_URL ?? '')
    const db = await openPostgres(proxy.url, { poolMax: 1, responseTimeoutMs: 200 })
    expect((await db.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    proxy.silence()
    const error = await db.query('SELECT 2 AS two').catch((reason) => reason)
    expect(error.message).toMatch(/timeout/)
    expect(wasRefused(error)).toBe(false)
    expect((await db.query('SELECT 3 AS three')).rows).toEqual([{ three: 3 }])
    await db.close()
    await proxy.close()
  })

  test('returns 503 without a statement if the connection cannot be opened', async () => {
    const proxy = await openProxy(DATABASE_URL ?? '')
    const db = await openPostgres(proxy.url, { poolMax: 1 })
    await proxy.close()
    // The first statement may fail because its connection has ended.
    await db.query('SELECT 1').catch(() => {})
    const error = await db.query('SELECT 2').catch((reason) => reason)
    expect(error).toBeInstanceOf(NoConnection)
    expect(toApiError(error)).toMatchObject({ refusal: { code: 'UNAVAILABLE' }, isFault: true })
    await db.close()
  })
})

/** A proxy to the database whose connections can fall silent, as on a network. New connections work. */
async function openProxy(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const server = createServer((clientSocket) => {
    const serverSocket = connect(Number(target.port || 5432), target.hostname)
    clientSocket.pipe(serverSocket).pipe(clientSocket)
    for (const socket of [clientSocket, serverSocket]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
  })
  const port = await listen(server)
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    silence() {
      for (const socket of sockets) socket.unpipe().pause()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
