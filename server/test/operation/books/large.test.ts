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

/** The number of transaction reads that still succeed. */
let readsLeft = Number.POSITIVE_INFINITY
const failedReads: string[] = []

let host: TestServer
let client: Client
let op: Op

beforeAll(async () => {
  host = await openServer({}, { openDatabase: async (settings) => failReads(await openDatabase(settings)) })
  client = await host.newPlatform()
  const barePlatform = await host.app.lookup(BARE_PLATFORM_BY_ID, client.credentials.platformId)
  op = createOp(host.app, await host.app.withConfig(barePlatform!), { kind: 'job', jobId: 'test' })
})
afterAll(() => host.close())

function failReads(database: Database): Database {
  return {
    kind: database.kind,
    script: (sql) => database.script(sql),
    close: () => database.close(),
    async query(sql, ...rest) {
      if (/from "transactions"/.test(sql) && --readsLeft < 0) {
        failedReads.push(sql)
        throw new Error('The disk is on fire')
      }
      return database.query(sql, ...rest)
    },
  }
}

async function commitWrites(writes: readonly Write[]): Promise<void> {
  expect(await host.app.committer.commit(writes)).toMatchObject({ done: true })
}

const createLaterOp = (ms: number): Op => ({ ...op, now: new Date(op.now.getTime() + ms) })

describe('a statement with too many movements', () => {
  test('is refused with the end of a shorter period, after which the next statement continues without a gap', async () => {
    const { id } = (await client.get('/platform/internal-accounts?currency=USD')).body.data[0]
    const cause = { cause: 'sandbox_fund', causeId: id } as const
    const count = STATEMENT_LINES_MAX + 500
    for (let n = 0; n < count; n += 300) {
      const sets = Array.from({ length: 300 }, (_, at) =>
        post(
          createLaterOp(Math.floor((n + at) / 3)),
          cause,
          buildArrivalLegs({ id, currency: 'USD' }, BigInt(n + at + 1)),
        ),
      )
      await commitWrites(sets.flat())
    }
    const readerOp = createLaterOp(count)
    const refusal = await makeStatement(readerOp, { accountId: id }).catch((error: unknown) => error)
    if (!(refusal instanceof ApiError)) throw refusal
    expect(refusal).toMatchObject({ code: 'PERIOD_TOO_LONG', details: { linesMax: STATEMENT_LINES_MAX } })
    const until = String(refusal.details?.until)
    const firstStatement = await makeStatement(readerOp, { accountId: id, to: until })
    const secondStatement = await makeStatement(readerOp, { accountId: id, from: until })
    expect(firstStatement.lines.length).toBeLessThanOrEqual(STATEMENT_LINES_MAX)
    expect(firstStatement.lines.length).toBeGreaterThan(STATEMENT_LINES_MAX - 10)
    expect(firstStatement.lines.length + secondStatement.lines.length).toBe(count)
    expect(secondStatement.opening).toBe(firstStatement.closing)
    expect(secondStatement.closing).toBe((BigInt(count) * BigInt(count + 1)) / 2n)
    const ids = [...firstStatement.lines, ...secondStatement.lines].map(({ transferId }) => transferId)
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
    // Many rows share a time, so the order of pages must not depend only on the time.
    const rows = Array.from({ length: COUNT }, (_, n) =>
      newTransaction(createLaterOp(Math.floor(n / 400)), common),
    )
    await commitWrites(rows.map((row) => insert('transactions', row)))
  })

  test('contains each transaction once, in either order', async () => {
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

  test('contains only its header if there are no transactions', async () => {
    const { body } = await client.get('/transactions.csv?endDate=2001-01-01T00:00:00Z')
    expect(body).toMatch(/^id,type,direction,[^\r\n]+,agentId\r\n$/)
  })

  test('returns an error if it cannot be started, and is cut off if it fails later', async () => {
    readsLeft = 0
    expect(await client.get('/transactions.csv')).toMatchObject({
      status: 500,
      body: { code: 'INTERNAL_ERROR' },
    })
    readsLeft = 1
    await expect(client.get('/transactions.csv')).rejects.toThrow()
    readsLeft = Number.POSITIVE_INFINITY
    expect(failedReads).toHaveLength(2)
    expect((await client.get('/transactions.csv')).status).toBe(200)
  })
})

describe('a file of many customers', () => {
  const COUNT = 1_203

  test('contains each customer once, in the order of the list', async () => {
    const snapshot = await readPlatformSnapshot(op)
    const person = { customerType: 'INDIVIDUAL' as const, region: 'US', currencies: ['USD'] }
    // Many rows share a time, so the order of pages must not depend only on the time.
    const rows = Array.from({ length: COUNT }, (_, n) =>
      newCustomer(createLaterOp(Math.floor(n / 400)), snapshot, { ...person, platformCustomerId: `no ${n}` }),
    )
    await commitWrites(rows.map((row) => insert('customers', row)))
    const listedIds: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { body }: Reply = await client.get(`/customers?limit=100${cursor && `&cursor=${cursor}`}`)
      listedIds.push(...body.data.map(({ id }: { id: string }) => id))
      cursor = body.nextCursor
    }
    const { status, body } = await client.get('/customers.csv')
    expect(status).toBe(200)
    const fileRows: { id: string }[] = parse(body, { columns: true })
    expect(fileRows).toHaveLength(COUNT)
    expect(fileRows.map(({ id }) => id)).toEqual(listedIds)
    expect(new Set(listedIds).size).toBe(COUNT)
  })
})
