import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { API } from '@countersign/contract/api'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { listen, stopListening } from '../../../../test/ports.testing.ts'
import { toJson } from '../../../src/base/json/json.ts'
import { readConfig } from '../../../src/base/settings/config.ts'
import { createMetrics } from '../../../src/edge/observability/metrics.ts'
import { RequestLimits } from '../../../src/edge/rate-limits/request-limits.ts'
import { Shutdown } from '../../../src/edge/service/graceful-shutdown.ts'
import { HANDLERS } from '../../../src/edge/service/handlers.ts'
import { createServer } from '../../../src/edge/service/http-server.ts'
import { addSeconds } from '../../../src/kernel/operation/app.ts'
import { createCommitter } from '../../../src/storage/commit/committer.ts'
import { insert, update } from '../../../src/storage/commit/writes.ts'
import type { Database } from '../../../src/storage/engine/port.ts'
import { type Client, fund, newBankAccount, newCustomer, signIn } from '../../worlds/client.testing.ts'
import { testId } from '../../worlds/records/payments.testing.ts'
import { openServer, type TestServer, valueIn } from '../../worlds/server.testing.ts'

const NO_LIMITS = new RequestLimits({ perToken: 0, perPerson: 0, perAddress: 0 }, () => new Date(), 'test')

/** A separate server, so that its metrics contain only the requests of this file. */
let testServer: TestServer
let client: Client
beforeAll(async () => {
  testServer = await openServer({ LOG_LEVEL: 'debug' })
  client = await testServer.newPlatform()
})
afterAll(() => testServer.close())

describe('the metrics', () => {
  test('count the ledger postings of a deposit and of payments', async () => {
    const { id, wallet } = await newCustomer(client)
    const bank = await newBankAccount(client, id)
    const failingBank = await newBankAccount(client, id, '002')
    const session = await signIn(client, wallet)
    const before = await testServer.metrics()
    const countPostings = async () => {
      const page = await testServer.metrics()
      const countSince = (kind: string) =>
        valueIn(page, 'countersign_ledger_postings_total', { kind })! -
        valueIn(before, 'countersign_ledger_postings_total', { kind })!
      return {
        post: countSince('post'),
        hold: countSince('hold'),
        capture: countSince('capture'),
        void: countSince('void'),
      }
    }
    const payToAccount = async (accountId: string) => {
      const quote = await client.post('/quotes', {
        source: { sourceType: 'ACCOUNT', accountId: wallet },
        destination: { destinationType: 'ACCOUNT', accountId },
        lockedCurrencySide: 'SENDING',
        lockedCurrencyAmount: 1_000_000,
      })
      const { payloadToSign } = quote.body.paymentInstructions[0].accountOrWalletInfo
      const stamp = { 'Svc-Wallet-Signature': session.stamp(payloadToSign) }
      expect((await client.post(`/quotes/${quote.body.id}/execute`, undefined, stamp)).status).toBe(200)
      await client.advance(0)
    }
    expect(await countPostings()).toEqual({ post: 0, hold: 0, capture: 0, void: 0 })
    await fund(client, wallet, 10_000_000)
    expect(await countPostings()).toEqual({ post: 1, hold: 0, capture: 0, void: 0 })
    // A payment makes three postings: the fees, the currency position, and the money that leaves.
    await payToAccount(bank)
    expect(await countPostings()).toEqual({ post: 4, hold: 1, capture: 1, void: 0 })
    await payToAccount(failingBank)
    expect(await countPostings()).toEqual({ post: 4, hold: 2, capture: 1, void: 1 })
    // Together with the balance this amount exceeds int64, so it is refused.
    await client.post(`/sandbox/internal-accounts/${wallet}/fund`, { amount: 2n ** 63n - 1n })
    expect(await countPostings()).toEqual({ post: 4, hold: 2, capture: 1, void: 1 })

    const page = await testServer.metrics()
    const settleLabels = { kind: 'transaction.settle', result: 'done' }
    expect(valueIn(page, 'countersign_jobs_total', settleLabels)).toBe(2)
    const sets = valueIn(page, 'countersign_commit_sets_total', { result: 'done' })!
    expect(valueIn(page, 'countersign_commit_batch_sets_sum')).toBeGreaterThanOrEqual(sets)
    const execute = { method: 'POST', route: '/2025-10-13/quotes/{quoteId}/execute', status: '2xx' }
    expect(valueIn(page, 'countersign_http_request_duration_seconds_count', execute)).toBe(2)
    expect(valueIn(page, 'countersign_http_errors_total', { code: 'INTERNAL_ERROR' })).toBe(0)
  })

  test("show the lag of due work, on its platform's clock", async () => {
    await client.post('/sandbox/clock/advance', { seconds: 7200 })
    const platform = await testServer.app.read
      .selectFrom('platforms')
      .selectAll()
      .where('id', '=', client.credentials.platformId)
      .executeTakeFirstOrThrow()
    expect(Number(platform.clock_offset_ms)).toBeGreaterThan(7_000_000)
    const now = testServer.app.clock()
    const buildJob = (id: string, dueInSeconds: number) =>
      insert('jobs', {
        id: testId('Job', id),
        platform_id: platform.id,
        kind: 'quote.expire',
        payload: { quoteId: testId('Quote', 'none') },
        due_at: addSeconds(now, 7200 + dueInSeconds),
        attempts: 0,
        // The claim keeps workers from running the job.
        claimed_until: addSeconds(now, 3600),
        last_error: null,
        created_at: now,
      })
    const { committer } = testServer.app
    expect(
      (await committer.commit([buildJob('late', -90), buildJob('later', -30), buildJob('not-yet', 3600)]))
        .done,
    ).toBe(true)
    const page = await testServer.metrics()
    const lag = valueIn(page, 'countersign_due_work_lag_seconds', { kind: 'quote.expire' })!
    // Since the clock was advanced a moment ago, the lag is slightly below 90 s.
    expect(lag).toBeGreaterThan(80)
    expect(lag).toBeLessThan(7200)
    expect(valueIn(page, 'countersign_due_work', { kind: 'quote.expire' })).toBe(2)
    expect(valueIn(page, 'countersign_due_work_lag_seconds', { kind: 'message.deliver' })).toBe(0)
    const buildRemoval = (id: string) => ({ write: 'remove', table: 'jobs', id: testId('Job', id) }) as const
    await committer.commit([buildRemoval('late'), buildRemoval('later'), buildRemoval('not-yet')])
    expect(
      valueIn(await testServer.metrics(), 'countersign_due_work_lag_seconds', { kind: 'quote.expire' }),
    ).toBe(0)
  })

  test('count webhook attempts by outcome', async () => {
    const statuses = [200, 503, 409]
    const receiver = createHttpServer((_, response) => {
      response.statusCode = statuses.shift() ?? 200
      response.end()
    })
    const port = await listen(receiver)
    const owner = await testServer.newPlatform()
    const before = await testServer.metrics()
    const webhookEndpoint = `http://127.0.0.1:${port}/`
    expect((await owner.send('PATCH', '/config', { webhookEndpoint })).status).toBe(200)
    const { usd } = await newCustomer(owner)
    const countSince = async (result: string) => {
      const readCount = (page: string) => valueIn(page, 'countersign_webhook_attempts_total', { result })!
      return readCount(await testServer.metrics()) - readCount(before)
    }
    while (statuses.length > 0) {
      await fund(owner, usd, 1)
      await owner.advance(60)
    }
    await stopListening(receiver)
    await fund(owner, usd, 1)
    await owner.advance(0)
    expect(await countSince('2xx')).toBeGreaterThanOrEqual(1)
    expect(await countSince('5xx')).toBe(1)
    expect(await countSince('4xx')).toBe(1)
    expect(await countSince('unreachable')).toBeGreaterThanOrEqual(1)
  })

  test('show the age of the oldest undelivered event', async () => {
    let status = 200
    const receiver = createHttpServer((_, response) => response.writeHead(status).end())
    const port = await listen(receiver)
    onTestFinished(() => {
      receiver.closeAllConnections()
      receiver.close()
    })
    const owner = await testServer.newPlatform()
    const { usd } = await newCustomer(owner)
    await owner.send('PATCH', '/config', { webhookEndpoint: `http://127.0.0.1:${port}/` })
    await owner.advance(0)
    const readAge = async () =>
      valueIn(await testServer.metrics(), 'countersign_webhook_oldest_undelivered_seconds') ?? Number.NaN
    status = 503
    await fund(owner, usd, 1)
    await owner.advance(7200)
    // The second event waits behind the first.
    await fund(owner, usd, 1)
    expect(await readAge()).toBeGreaterThanOrEqual(7200)
    status = 200
    await owner.advance(3600)
    expect(await readAge()).toBeLessThan(7200)
  })

  test('count conflicts and faults of commits, and their refusals by guard', async () => {
    const faults = [
      Object.assign(new Error('deadlock'), { code: '40P01' }),
      Object.assign(new Error('refused'), {
        code: 'CS002',
        detail: toJson({ guard: 'ledger_accounts_overdraft', writes: [0] }),
      }),
      Object.assign(new Error('gone'), { code: 'ECONNRESET' }),
    ]
    const query = async (...call: Parameters<Database['query']>) => {
      if (call[0].includes('commit_together')) throw faults.shift()
      return testServer.app.db.query(...call)
    }
    const db: Database = {
      ...testServer.app.db,
      query: query as unknown as Database['query'],
    }
    const countedMetrics = createMetrics(db, testServer.app.clock, 'sandbox')
    const { commit } = createCommitter(db, countedMetrics)
    const set = [update('customers', testId('Customer', 1), {}, { email: null })]
    expect((await commit(set)).done).toBe(false)
    await expect(commit(set)).rejects.toThrow('gone')
    const page = await countedMetrics.text(async () => true)
    expect(valueIn(page, 'countersign_commit_conflicts_total')).toBe(1)
    expect(valueIn(page, 'countersign_commit_sets_total', { result: 'overdraft' })).toBe(1)
    expect(valueIn(page, 'countersign_commit_sets_total', { result: 'fault' })).toBe(1)
    expect(valueIn(page, 'countersign_commit_sets_total', { result: 'done' })).toBe(0)
  })

  test('have no label that a caller can choose', async () => {
    const inventedWords = Array.from({ length: 40 }, (_, n) => `invented${n}`)
    for (const word of inventedWords) {
      const send = (method: string, path: string) =>
        fetch(testServer.origin + path, { method, headers: { 'X-Request-Id': word } })
      await send('GET', `/${word}`)
      await send('PROPFIND', `/2025-10-13/${word}`)
      await send('PATCH', `/2025-10-13/customers/${word}`)
    }
    const page = await testServer.metrics()
    expect(inventedWords.filter((word) => page.includes(word))).toEqual([])
    const routes = new Set([...page.matchAll(/route="([^"]*)"/g)].map(([, route]) => route!))
    const known = new Set([
      'unknown',
      '/metrics',
      ...Object.values(API).map(({ path }) => `/2025-10-13${path}`),
    ])
    expect([...routes].filter((route) => !known.has(route))).toEqual([])
    const methods = new Set([...page.matchAll(/method="([^"]*)"/g)].map(([, method]) => method!))
    const expected = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other']
    expect([...methods].filter((method) => !expected.includes(method))).toEqual([])
    const otherMethodCount = valueIn(page, 'countersign_http_request_duration_seconds_count', {
      method: 'other',
    })
    expect(otherMethodCount).toBe(inventedWords.length)
  })

  test('match the list in docs/operations.md', async () => {
    const guide = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8')
    const documentedMetrics = [...guide.matchAll(/^\| `(countersign_\w+)` \| (\w+) \|/gm)].map(
      ([, name, type]) => [name, type],
    )
    const types = [...(await testServer.metrics()).matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(
      ([, name, type]) => [name, type],
    )
    const measuredMetrics = types.filter(([name]) => !/^countersign_(process|nodejs)_/.test(name!))
    expect(documentedMetrics.sort()).toEqual(measuredMetrics.sort())
  })

  test('require the token if one is set, and otherwise are open in sandbox and missing in production', async () => {
    const token = randomBytes(24).toString('base64url')
    const { app } = testServer
    const createTestServer = (mode: 'sandbox' | 'production', metricsToken?: string): FastifyInstance =>
      createServer(
        { ...app, config: { ...app.config, mode, ...(metricsToken ? { metricsToken } : {}) } },
        HANDLERS,
        { logRequest: () => {}, leaving: new Shutdown(), limits: NO_LIMITS },
      )
    const fetchMetrics = (server: FastifyInstance, authorization?: string) =>
      server.inject({ url: '/metrics', headers: authorization ? { authorization } : {} })

    expect((await fetchMetrics(createTestServer('production'))).statusCode).toBe(404)
    expect((await fetchMetrics(createTestServer('sandbox'))).statusCode).toBe(200)
    for (const server of [createTestServer('production', token), createTestServer('sandbox', token)]) {
      for (const wrongAuthorization of [
        undefined,
        `Bearer ${token}x`,
        `Bearer ${token.slice(1)}`,
        'Bearer',
        client.authorization,
      ]) {
        const refusal = await fetchMetrics(server, wrongAuthorization)
        expect(refusal.statusCode).toBe(401)
        expect(refusal.json()).toMatchObject({ code: 'UNAUTHORIZED', reason: expect.any(String) })
        expect(refusal.headers['www-authenticate']).toMatch(/^Bearer /)
      }
      const page = await fetchMetrics(server, `Bearer ${token}`)
      expect(page.statusCode).toBe(200)
      expect(page.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
      expect(valueIn(page.body, 'countersign_build_info', { mode: 'sandbox' })).toBe(1)
      expect(valueIn(page.body, 'countersign_database_up')).toBe(1)
      expect(valueIn(page.body, 'countersign_process_resident_memory_bytes')).toBeGreaterThan(0)
      await server.close()
    }
    for (const badToken of ['short', 'with a space in between', 'naïve-and-long-enough'])
      expect(() => readConfig({ METRICS_TOKEN: badToken })).toThrow(/^METRICS_TOKEN must have/)
    expect(readConfig({ METRICS_TOKEN: token }).metricsToken).toBe(token)
  })
})
