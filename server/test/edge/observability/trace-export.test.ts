import { createServer } from 'node:http'
import { type ForwardedCall, openProxy } from '@countersign/connectors/test/bank-process.testing'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { listen } from '../../../../test/ports.testing.ts'
import { readTracing } from '../../../src/base/settings/tracing.ts'
import { openTracing } from '../../../src/edge/observability/tracing.ts'
import { fund, newBankAccount, newCustomer } from '../../worlds/client.testing.ts'
import { exampleBank, openProduction } from '../../worlds/production/production.testing.ts'
import { newEuroAccount } from '../../worlds/records/external-accounts.testing.ts'
import { openServer, type TestServer, valueIn } from '../../worlds/server.testing.ts'
import { ensureServerBuilt, newPlace, ServerProcess } from '../../worlds/server-process.testing.ts'
import {
  buildTraceSettings,
  type Collector,
  newTraceparent,
  openCollector,
  type Span,
} from '../../worlds/simulators/otlp-collector.testing.ts'

const LOST_MESSAGE = 'dropped traces that the collector did not accept'

/** The collector closes with the test. */
async function startCollector(): Promise<Collector> {
  const collector = await openCollector()
  onTestFinished(collector.close)
  return collector
}

/** The server closes with the test, unless the test closes it earlier. */
async function startServer(settings: Readonly<Record<string, string>>) {
  const server = await openServer({ LOG_LEVEL: 'debug', ...settings })
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= server.close()
    return closing
  }
  onTestFinished(close)
  return { ...server, client: await server.newPlatform(), close }
}

const readDroppedCount = async (server: Pick<TestServer, 'metrics'>) =>
  valueIn(await server.metrics(), 'countersign_spans_dropped_total')

describe('a trace', () => {
  test("continues at the operator's connectors", async () => {
    const collector = await startCollector()
    const production = await openProduction({}, buildTraceSettings(collector.url))
    onTestFinished(production.close)
    const calls: ForwardedCall[] = []
    const proxy = await openProxy(
      () => production.bank.url,
      (call, pass) => {
        calls.push(call)
        return pass(call)
      },
    )
    onTestFinished(proxy.close)
    await production.setRails([exampleBank(proxy.url)])
    const { client } = production
    const customerId = await production.newApproved()
    const account = await production.accountOf(customerId, 'EUR')
    await production.paidIn(account, '10000')
    const readBalance = async () => (await production.accountOf(customerId, 'EUR')).balance.amount
    await expect.poll(readBalance).toBe(10_000)

    const caller = newTraceparent()
    const tracestate = 'vendor=what-it-likes'
    const body = {
      source: { accountId: account.id },
      destination: { accountId: await newEuroAccount(client, customerId, '000') },
      amount: 2500,
    }
    const payment = await client.post('/transfer-out', body, { traceparent: caller.header, tracestate })
    expect(payment.status).toBe(201)
    const spans = await collector.trace(caller.traceId, (all) => all.some(({ name }) => name === 'rail send'))
    const [railSpan] = spans.filter(({ name }) => name === 'rail send')
    expect(railSpan!.attributes).toMatchObject({ 'countersign.rail': 'example-bank' })
    const railRequest = calls.find(({ method, url }) => method === 'POST' && url === '/payments')
    expect(railRequest!.headers).toMatchObject({
      traceparent: `00-${caller.traceId}-${railSpan!.spanId}-01`,
      tracestate,
    })
  })

  test('belongs to one payment, even if concurrent payments share a job row', async () => {
    const collector = await startCollector()
    const { client, app } = await startServer(buildTraceSettings(collector.url))
    const { id, usd } = await newCustomer(client)
    await fund(client, usd, 100_000)
    const bank = await newBankAccount(client, id)
    const callers = Array.from({ length: 20 }, newTraceparent)
    const body = { source: { accountId: usd }, destination: { accountId: bank }, amount: 100 }
    await Promise.all(
      callers.map(({ header }) => client.post('/transfer-out', body, { traceparent: header })),
    )
    await client.advance(0)
    const findCallerSpans = (name: string) =>
      collector.spans.filter(
        (span) => span.name === name && callers.some(({ traceId }) => traceId === span.traceId),
      )
    const listJobs = () => findCallerSpans('job transfer.settle')
    await expect.poll(() => listJobs().length).toBe(callers.length)
    const findRequest = ({ traceId, parentSpanId }: Span) =>
      findCallerSpans('POST /2025-10-13/transfer-out').find(
        (span) => span.traceId === traceId && span.spanId === parentSpanId,
      )
    await expect.poll(() => listJobs().every(findRequest)).toBe(true)
    expect(new Set(listJobs().map(({ traceId }) => traceId)).size).toBe(callers.length)
    // The last job deleted the row that all of them shared.
    await expect.poll(() => findCallerSpans('delete job row').length).toBeGreaterThan(0)
    const [deletion] = findCallerSpans('delete job row')
    expect(deletion!.links.length).toBeGreaterThan(0)
    for (const { traceId } of deletion!.links)
      expect(callers.map((caller) => caller.traceId)).toContain(traceId)
    const sets = findCallerSpans('commit').map(({ attributes }) =>
      Number(attributes['countersign.commit.sets']),
    )
    expect(Math.max(...sets)).toBeGreaterThan(1)
    expect((await app.db.query('SELECT 1 FROM jobs WHERE kind = $1', ['transfer.settle'])).rows).toEqual([])
  })
})

describe('a trace collector', () => {
  test('gets protobuf with the configured headers', async () => {
    const collector = await startCollector()
    const { client } = await startServer({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/base/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=k%20y',
      OTEL_SERVICE_NAME: 'payments-of-acme',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    })
    const caller = newTraceparent()
    await client.send('GET', '/config', undefined, { traceparent: caller.header })
    const hasPosted = (bytes: Buffer) => collector.posts.some(({ body }) => body.includes(bytes))
    await expect.poll(() => hasPosted(Buffer.from(caller.traceId, 'hex'))).toBe(true)
    expect(hasPosted(Buffer.from('payments-of-acme'))).toBe(true)
    expect(collector.posts[0]).toMatchObject({
      path: '/base/v1/traces',
      headers: { 'content-type': 'application/x-protobuf', 'api-key': 'k y' },
    })
  })

  test('that cannot be reached delays nothing, and the dropped spans are counted and logged once', async () => {
    const closedServer = createServer()
    const port = await listen(closedServer)
    await new Promise((resolve) => closedServer.close(resolve))
    const server = await startServer(buildTraceSettings(`http://127.0.0.1:${port}`))
    for (let n = 0; n < 20; n++) expect((await server.client.get('/config')).status).toBe(200)
    await expect.poll(() => readDroppedCount(server)).toBeGreaterThan(0)
    for (let n = 0; n < 20; n++) expect((await server.client.get('/config')).status).toBe(200)
    const startMs = performance.now()
    const logText = server.logText
    const listLines = () =>
      logText()
        .split('\n')
        .filter((line) => line.includes(LOST_MESSAGE))
    expect(listLines()).toHaveLength(1)
    expect(JSON.parse(listLines()[0]!)).toMatchObject({ level: 40, why: 'ECONNREFUSED' })
    await server.close()
    expect(performance.now() - startMs).toBeLessThan(timeLimit(10_000))
  })

  test('that is busy gets the same spans again, unlike one that refuses them', async () => {
    const collector = await startCollector()
    const statuses = [503]
    collector.answer = () => statuses.shift() ?? 200
    const server = await startServer(buildTraceSettings(collector.url))
    const busyTrace = newTraceparent()
    await server.client.send('GET', '/config', undefined, { traceparent: busyTrace.header })
    await collector.trace(busyTrace.traceId, (spans) => spans.length > 1)
    expect(await readDroppedCount(server)).toBe(0)
    expect(collector.posts[1]!.body).toEqual(collector.posts[0]!.body)
    statuses.splice(0, statuses.length, 400)
    await server.client.get('/config')
    await expect.poll(() => readDroppedCount(server)).toBeGreaterThan(0)
    await server.client.get('/config')
    await expect.poll(() => server.logText()).toContain('the collector accepts traces again')
  })

  test('that does not respond gets a bounded number of spans, and does not delay a shutdown', async () => {
    const collector = await startCollector()
    let release = () => {}
    const response = new Promise<number>((resolve) => {
      release = () => resolve(200)
    })
    collector.answer = () => response
    onTestFinished(release)
    const dropReport = { count: 0, lines: [] as object[] }
    const { tracing } = readTracing(buildTraceSettings(collector.url))
    const traces = openTracing(tracing!, 'test', {
      dropped: (count) => {
        dropReport.count += count
      },
      log: { warn: (fields) => dropReport.lines.push(fields), info() {} },
    })
    for (let n = 0; n < 10_000; n++) traces.begin({}, { name: 'test' }).end()
    expect(dropReport).toEqual({ count: 10_000 - 8_192, lines: [{ why: 'the collector is too slow' }] })
    const startMs = performance.now()
    await traces.close(200)
    expect(performance.now() - startMs).toBeLessThan(timeLimit(2_000))
    expect(dropReport.count).toBe(10_000)
  })

  test('gets the last spans when the server stops', async () => {
    const collector = await startCollector()
    const server = await startServer({
      ...buildTraceSettings(collector.url),
      OTEL_BSP_SCHEDULE_DELAY: '60000',
    })
    const caller = newTraceparent()
    await server.client.send('GET', '/config', undefined, { traceparent: caller.header })
    expect(collector.posts).toEqual([])
    await server.close()
    const names = collector.spans.filter(({ traceId }) => traceId === caller.traceId).map(({ name }) => name)
    expect(names).toContain('GET /2025-10-13/config')
  })
})

describe('the built server', () => {
  beforeAll(ensureServerBuilt)

  test('exports traces, and sends the last ones before it ends', async () => {
    const collector = await startCollector()
    const place = await newPlace()
    const server = await ServerProcess.ready(place, {
      ...buildTraceSettings(collector.url),
      OTEL_BSP_SCHEDULE_DELAY: '60000',
    })
    const caller = newTraceparent()
    await server.client().send('GET', '/config', undefined, { traceparent: caller.header })
    const { code, stderr } = await server.kill('SIGTERM')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(collector.spans.some(({ traceId }) => traceId === caller.traceId)).toBe(true)
  })
})
