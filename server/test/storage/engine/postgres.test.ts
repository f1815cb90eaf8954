import { describe, expect, test } from 'vitest'
import type { Database } from '../../../src/storage/engine/port.ts'
import { openPostgres } from '../../../src/storage/engine/postgres.ts'
import { readHosts } from '../../../src/storage/engine/postgres-url.ts'

const DATABASE_URL = process.env.DATABASE_URL ?? ''

describe('the servers of DATABASE_URL', () => {
  test('are tried in order, from the last used one', () => {
    const hosts = readHosts('postgres://me:s3cret@a,b:5433/shop?sslmode=disable')
    const hostOf = () => new URL(hosts.current()[1]).host
    expect(hosts).toMatchObject({ count: 2, place: 'a:5432,b:5433/shop', areWritable: true })
    expect(hostOf()).toBe('a')
    const [number] = hosts.current()
    hosts.leave(number)
    // A second statement that failed at the first server.
    hosts.leave(number)
    expect(hostOf()).toBe('b:5433')
    hosts.leave(1)
    expect(hostOf()).toBe('a')
  })

  test.each([
    ['postgres://me@a/shop', false],
    ['postgres://me@a/shop?target_session_attrs=primary', true],
    ['postgres://me@a,b/shop?target_session_attrs=any', false],
    ['postgres:///shop?host=/run/postgresql', false],
  ])('of %s have to accept writes: %s', (url, areWritable) => {
    expect(readHosts(url).areWritable).toBe(areWritable)
  })

  test.each([
    [
      'postgres://me:s3cret@a/shop?target_session_attrs=standby',
      'target_session_attrs must be one of any, read-write, primary',
    ],
    ['postgres://me:s3cret@a:5432,b:x/shop', 'b:x is not a host with a port'],
  ])('that cannot be used are one line: %s', (url, line) => {
    const read = () => readHosts(url)
    expect(read).toThrow(line)
    expect(read).not.toThrow('s3cret')
  })
})

/** DATABASE_URL with another host, login or setting. */
function urlWith(change: (url: URL) => void): string {
  const url = new URL(DATABASE_URL)
  change(url)
  return url.href
}

async function using(url: string, use: (db: Database) => Promise<void>, options = {}): Promise<void> {
  const db = await openPostgres(url, options)
  await use(db).finally(() => db.close())
}

describe.skipIf(!DATABASE_URL)('PostgreSQL', () => {
  test('is found behind a server that cannot be reached', async () => {
    const { host } = new URL(DATABASE_URL)
    await using(DATABASE_URL.replace(host, `127.0.0.1:1,${host}`), async (db) => {
      const each = [{ connection: 'fast' }, {}, { connection: 'fast' }, {}] as const
      const answers = await Promise.all(each.map((options) => db.query('SELECT 1 AS one', [], options)))
      expect(answers.map(({ rows }) => rows)).toEqual(Array(4).fill([{ one: 1 }]))
    })
  })

  test('that accepts no writes is not opened if writes are required', async () => {
    const readOnly = (attributes: string) =>
      openPostgres(
        urlWith(({ searchParams }) => {
          searchParams.set('options', '-c default_transaction_read_only=on')
          searchParams.set('target_session_attrs', attributes)
        }),
      )
    await expect(readOnly('read-write')).rejects.toThrow('it accepts no writes')
    await (await readOnly('any')).close()
  })

  test('that gives fewer connections than configured is used with the available ones', async () => {
    const role = `narrow_${process.pid}`
    await using(DATABASE_URL, (db) =>
      db.script(`CREATE ROLE ${role} LOGIN PASSWORD 'narrow' CONNECTION LIMIT 2`),
    )
    const narrow = urlWith((url) => {
      url.username = role
      url.password = 'narrow'
    })
    await using(narrow, async (db) => {
      const ask = (n: number) =>
        db.query('SELECT pg_sleep(0.01), $1::int AS n', [n], n % 2 === 0 ? { connection: 'fast' } : {})
      const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => ask(n)))
      expect(answers.map(({ rows }) => rows[0]!.n)).toEqual(Array.from({ length: 60 }, (_, n) => n))
    })
    await using(DATABASE_URL, (db) => db.script(`DROP ROLE ${role}`))
  })

  const statement = 'SELECT $1::int AS n'
  const ask = async (db: Database, n: number) => (await db.query<{ n: number }>(statement, [n])).rows[0]!.n
  /** The session, and whether it has prepared the statement. */
  const session = async (db: Database) => {
    const sql = `SELECT pg_backend_pid() AS pid, (SELECT count(*)::int FROM pg_prepared_statements WHERE statement = '${statement}') AS prepared`
    return (await db.query<{ pid: number; prepared: number }>(sql)).rows[0]!
  }

  test('whose pooler loses a prepared statement still executes it on the same connection, and prepares none again', async () => {
    await using(
      DATABASE_URL,
      async (db) => {
        for (const n of [1, 2, 3]) expect(await ask(db, n)).toBe(n)
        const before = await session(db)
        expect(before.prepared).toBe(1)
        await db.query('DEALLOCATE ALL')
        for (const n of [4, 5, 6]) expect(await ask(db, n)).toBe(n)
        expect(await session(db)).toEqual({ pid: before.pid, prepared: 0 })
      },
      { poolMax: 1 },
    )
  })

  test('prepares no statements if the setting forbids it', async () => {
    await using(
      DATABASE_URL,
      async (db) => {
        for (const n of [1, 2, 3]) expect(await ask(db, n)).toBe(n)
        expect((await session(db)).prepared).toBe(0)
      },
      { poolMax: 1, prepares: false },
    )
  })
})
