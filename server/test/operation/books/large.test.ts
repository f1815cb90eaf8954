import { STATEMENT_LINES_MAX } from '@countersign/contract/books/statements'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildArrivalLegs, post } from '../../../src/kernel/ledger/transfers.ts'
import { createOp, type Op } from '../../../src/kernel/operation/app.ts'
import { ApiError } from '../../../src/kernel/operation/operation.ts'
import { newTransaction } from '../../../src/kernel/transactions/transactions.ts'
import { makeStatement } from '../../../src/operation/books/statements.ts'
import { newCustomer, readPlatformSnapshot } from '../../../src/people/customers/creation.ts'
import { insert, type Write } from '../../../src/storage/commit/writes.ts'
import { openDatabase } from '../../../src/storage/engine/open.ts'
import type { Database } from '../../../src/storage/engine/port.ts'
import { BARE_PLATFORM_BY_ID } from '../../../src/storage/read/bare-platform.ts'
import type { Client, Reply } from '../../worlds/client.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

/** Reads of transactions that still succeed. */
let readsLeft = Number.POSITIVE_INFINITY
const logged: string[] = []

let host: TestServer
let client: Client
let op: Op

beforeAll(async () => {
  host = await openServer({}, { openDatabase: async (own) => failing(await openDatabase(own)) })
  client = await host.newPlatform()
  const bare = await host.app.lookup(BARE_PLATFORM_BY_ID, client.credentials.platformId)
  op = createOp(host.app, await host.app.withConfig(bare!), { kind: 'job', jobId: 'test' })
})
afterAll(() => host.close())

function failing(inner: Database): Database {
  return {
    kind: inner.kind,
    script: (sql) => inner.script(sql),
    close: () => inner.close(),
    async query(sql, ...rest) {
      if (/from "transactions"/.test(sql) && --readsLeft < 0) {
        logged.push(sql)
        throw new Error('The disk is on fire')
      }
      return inner.query(sql, ...rest)
    },
  }
}

async function commit(writes: readonly Write[]): Promise<void> {
  expect(await host.app.committer.commit(writes)).toMatchObject({ done: true })
}

const later = (ms: number): Op => ({ ...op, now: new Date(op.now.getTime() + ms) })

describe('a statement of more movements than one holds', () => {
  test('names its end, and the rest follows without a gap', async () => {
    const { id } = (await client.get('/platform/internal-accounts?currency=USD')).body.data[0]
    const cause = { cause: 'sandbox_fund', causeId: id } as const
    const count = STATEMENT_LINES_MAX + 500
    for (let n = 0; n < count; n += 300) {
      const sets = Array.from({ length: 300 }, (_, at) =>
        post(
          later(Math.floor((n + at) / 3)),
          cause,
          buildArrivalLegs({ id, currency: 'USD' }, BigInt(n + at + 1)),
        ),
      )
      await commit(sets.flat())
    }
    const reader = later(count)
    const refused = await makeStatement(reader, { accountId: id }).catch((error: unknown) => error)
    if (!(refused instanceof ApiError)) throw refused
    expect(refused).toMatchObject({ code: 'PERIOD_TOO_LONG', details: { linesMax: STATEMENT_LINES_MAX } })
    const until = String(refused.details?.until)
    const first = await makeStatement(reader, { accountId: id, to: until })
    const rest = await makeStatement(reader, { accountId: id, from: until })
    expect(first.lines.length).toBeLessThanOrEqual(STATEMENT_LINES_MAX)
    expect(first.lines.length).toBeGreaterThan(STATEMENT_LINES_MAX - 10)
    expect(first.lines.length + rest.lines.length).toBe(count)
    expect(rest.opening).toBe(first.closing)
    expect(rest.closing).toBe((BigInt(count) * BigInt(count + 1)) / 2n)
    const ids = [...first.lines, ...rest.lines].map(({ transferId }) => transferId)
    expect(new Set(ids).size).toBe(count)
  })
})

describe('a file of many transactions', () => {
  const COUNT = 1_203

  beforeAll(async () => {
    const common = {
      kind: 'RECEIPT',
      type: 'INCOMING',
      direction: 'CREDIT',
      state: 'COMPLETED',
      customer_id: null,
      sent_amount: null,
      sent_currency: null,
      received_amount: 1n,
      received_currency: 'USD',
    } as const
    // Many of one moment: the order of pages must not depend only on the time.
    const rows = Array.from({ length: COUNT }, (_, n) => newTransaction(later(Math.floor(n / 400)), common))
    await commit(rows.map((row) => insert('transactions', row)))
  })

  test('has each once, in either order', async () => {
    for (const order of ['asc', 'desc']) {
      const { status, body } = await client.get(`/transactions.csv?sortOrder=${order}`)
      expect(status).toBe(200)
      const rows: { id: string; createdAt: string }[] = parse(body, { columns: true })
      expect(rows).toHaveLength(COUNT)
      expect(new Set(rows.map(({ id }) => id)).size).toBe(COUNT)
      const times = rows.map(({ createdAt }) => createdAt)
      expect(times).toEqual(order === 'asc' ? times.toSorted() : times.toSorted().reverse())
    }
  })

  test('of no transactions is only its header', async () => {
    const { body } = await client.get('/transactions.csv?endDate=2001-01-01T00:00:00Z')
    expect(body).toMatch(/^id,type,direction,[^\r\n]+,agentId\r\n$/)
  })

  test('that cannot be started is an error, and one that fails later is cut off', async () => {
    readsLeft = 0
    expect(await client.get('/transactions.csv')).toMatchObject({
      status: 500,
      body: { code: 'INTERNAL_ERROR' },
    })
    readsLeft = 1
    await expect(client.get('/transactions.csv')).rejects.toThrow()
    readsLeft = Number.POSITIVE_INFINITY
    expect(logged).toHaveLength(2)
    expect((await client.get('/transactions.csv')).status).toBe(200)
  })
})

describe('a file of many customers', () => {
  const COUNT = 1_203

  test('has each once, as the pages of the list give them', async () => {
    const snapshot = await readPlatformSnapshot(op)
    const person = { customerType: 'INDIVIDUAL' as const, region: 'US', currencies: ['USD'] }
    // Many of one moment: the order of pages must not depend only on the time.
    const rows = Array.from({ length: COUNT }, (_, n) =>
      newCustomer(later(Math.floor(n / 400)), snapshot, { ...person, platformCustomerId: `no ${n}` }),
    )
    await commit(rows.map((row) => insert('customers', row)))
    const listed: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { body }: Reply = await client.get(`/customers?limit=100${cursor && `&cursor=${cursor}`}`)
      listed.push(...body.data.map(({ id }: { id: string }) => id))
      cursor = body.nextCursor
    }
    const { status, body } = await client.get('/customers.csv')
    expect(status).toBe(200)
    const filed: { id: string }[] = parse(body, { columns: true })
    expect(filed).toHaveLength(COUNT)
    expect(filed.map(({ id }) => id)).toEqual(listed)
    expect(new Set(listed).size).toBe(COUNT)
  })
})
