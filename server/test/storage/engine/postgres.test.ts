import { describe, expect, test } from 'vitest'
import type { Database } from '../../../src/storage/engine/port.ts'
import { openPostgres } from '../../../src/storage/engine/postgres.ts'
import { readHosts } from '../../../src/storage/engine/postgres-url.ts'

const DATABASE_URL = process.env.DATABASE_URL ?? ''

describe('the servers of DATABASE_URL', () => {
  test('are tried in order, from the last used one', () => {
    const hosts = readHosts('postgres://me:s3cret@a,b:5433/shop?sslmode=disable')
    const readHost = () => new URL(hosts.current()[1]).host
    expect(hosts).toMatchObject({ count: 2, place: 'a:5432,b:5433/shop', areWritable: true })
    expect(readHost()).toBe('a')
    const [number] = hosts.current()
    hosts.leave(number)
    // A second statement has failed on the same server.
    hosts.leave(number)
    expect(readHost()).toBe('b:5433')
    hosts.leave(1)
    expect(readHost()).toBe('a')
  })

  test.each([
    ['postgres://me@a/shop', false],
    ['postgres://me@a/shop?target_session_attrs=primary', true],
    ['postgres://me@a,b/shop?target_session_attrs=any', false],
    ['postgres:///shop?host=/run/postgresql', false],
  ])('of %s must accept writes: %s', (url, areWritable) => {
    expect(readHosts(url).areWritable).toBe(areWritable)
  })

  test.each([
    [
      'postgres://me:s3cret@a/shop?target_session_attrs=standby',
      'target_session_attrs must be one of any, read-write, primary',
    ],
    ['postgres://me:s3cret@a:5432,b:x/shop', 'b:x is not a host with a port.'],
  ])('that are invalid are refused in one line: %s', (url, line) => {
    const read = () => readHosts(url)
    expect(read).toThrow(line)
    expect(read).not.toThrow('s3cret')
  })
})

/** DATABASE_URL with another host, login or setting. */
function changeUrl(change: (url: URL) => void): string {
  const url = new URL(DATABASE_URL)
  change(url)
  return url.href
}

async function withDatabase(url: string, use: (db: Database) => Promise<void>, options = {}): Promise<void> {
  const db = await openPostgres(url, options)
  await use(db).finally(() => db.close())
}

describe.skipIf(!DATABASE_URL)('PostgreSQL', () => {
  test('is used if it comes after an unreachable server', async () => {
    const { host } = new URL(DATABASE_URL)
    await withDatabase(DATABASE_URL.replace(host, `127.0.0.1:1,${host}`), async (db) => {
      const queryOptions = [{ connection: 'fast' }, {}, { connection: 'fast' }, {}] as const
      const results = await Promise.all(
        queryOptions.map((options) => db.query('SELECT 1 AS one', [], options)),
      )
      expect(results.map(({ rows }) => rows)).toEqual(Array(4).fill([{ one: 1 }]))
    })
  })

  test('without write access is not opened if writes are required', async () => {
    const openReadOnly = (attributes: string) =>
      openPostgres(
        changeUrl(({ searchParams }) => {
          searchParams.set('options', '-c default_transaction_read_only=on')
          searchParams.set('target_session_attrs', attributes)
        }),
      )
    await expect(openReadOnly('read-write')).rejects.toThrow('it accepts no writes')
    await (await openReadOnly('any')).close()
  })

  test('that allows fewer connections than configured is used with the available ones', async () => {
    const role = `narrow_${process.pid}`
    await withDatabase(DATABASE_URL, (db) =>
      db.script(`CREATE ROLE ${role} LOGIN PASSWORD 'narrow' CONNECTION LIMIT 2`),
    )
    const narrowUrl = changeUrl((url) => {
      url.username = role
      url.password = 'narrow'
    })
    await withDatabase(narrowUrl, async (db) => {
      const selectNumber = (n: number) =>
        db.query('SELECT pg_sleep(0.01), $1::int AS n', [n], n % 2 === 0 ? { connection: 'fast' } : {})
      const results = await Promise.all(Array.from({ length: 60 }, (_, n) => selectNumber(n)))
      expect(results.map(({ rows }) => rows[0]!.n)).toEqual(Array.from({ length: 60 }, (_, n) => n))
    })
    await withDatabase(DATABASE_URL, (db) => db.script(`DROP ROLE ${role}`))
  })

  const statement = 'SELECT $1::int AS n'
  const selectNumber = async (db: Database, n: number) =>
    (await db.query<{ n: number }>(statement, [n])).rows[0]!.n
  /** Returns the session's pid, and how often the statement is prepared in it. */
  const readSession = async (db: Database) => {
    const sql = `SELECT pg_backend_pid() AS pid, (SELECT count(*)::int FROM pg_prepared_statements WHERE statement = '${statement}') AS prepared`
    return (await db.query<{ pid: number; prepared: number }>(sql)).rows[0]!
  }

  test('that loses a prepared statement still executes it on the same connection, and prepares no other', async () => {
    await withDatabase(
      DATABASE_URL,
      async (db) => {
        for (const n of [1, 2, 3]) expect(await selectNumber(db, n)).toBe(n)
        const before = await readSession(db)
        expect(before.prepared).toBe(1)
        await db.query('DEALLOCATE ALL')
        for (const n of [4, 5, 6]) expect(await selectNumber(db, n)).toBe(n)
        expect(await readSession(db)).toEqual({ pid: before.pid, prepared: 0 })
      },
      { poolMax: 1 },
    )
  })

  test('gets no prepared statements if the setting forbids them', async () => {
    await withDatabase(
      DATABASE_URL,
      async (db) => {
        for (const n of [1, 2, 3]) expect(await selectNumber(db, n)).toBe(n)
        expect((await readSession(db)).prepared).toBe(0)
      },
      { poolMax: 1, prepares: false },
    )
  })
})
