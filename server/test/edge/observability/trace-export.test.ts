import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ForwardedCall, openProxy } from '@countersign/connectors/test/bank-process.testing'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { readTracing } from '../../../src/base/settings/tracing.ts'
import { openTracing } from '../../../src/edge/observability/tracing.ts'
import { fund, newBankAccount, newCustomer } from '../../worlds/client.testing.ts'
import { exampleBank, newEuroAccount, openProduction } from '../../worlds/production/production.testing.ts'
import { openServer, type TestServer, valueIn } from '../../worlds/server.testing.ts'
import { ensureServerBuilt, newPlace, ServerProcess } from '../../worlds/server-process.testing.ts'
import {
  type Collector,
  newTraceparent,
  openCollector,
  type Span,
  tracedTo,
} from '../../worlds/simulators/otlp-collector.testing.ts'

const LOST = 'dropped traces that the collector did not accept'

/** A collector, which ends with the test. */
async function ownCollector(): Promise<Collector> {
  const collector = await openCollector()
  onTestFinished(collector.close)
  return collector
}

/** The test's own server, which the test closes or leaves. */
async function ownServer(settings: Readonly<Record<string, string>>) {
  const own = await openServer({ LOG_LEVEL: 'debug', ...settings })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= own.close()
    return closed
  }
  onTestFinished(close)
  return { ...own, client: await own.newPlatform(), close }
}

const dropped = async (own: Pick<TestServer, 'metrics'>) =>
  valueIn(await own.metrics(), 'countersign_spans_dropped_total')

describe('a trace', () => {
  test("continues at the operator's connectors", async () => {
    const collector = await ownCollector()
    const production = await openProduction({}, tracedTo(collector.url))
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
    const balance = async () => (await production.accountOf(customerId, 'EUR')).balance.amount
    await expect.poll(balance).toBe(10_000)

    const caller = newTraceparent()
    const tracestate = 'vendor=what-it-likes'
    const body = {
      source: { accountId: account.id },
      destination: { accountId: await newEuroAccount(client, customerId) },
      amount: 2500,
    }
    const begun = await client.post('/transfer-out', body, { traceparent: caller.header, tracestate })
    expect(begun.status).toBe(201)
    const spans = await collector.trace(caller.traceId, (all) => all.some(({ name }) => name === 'rail send'))
    const [asked] = spans.filter(({ name }) => name === 'rail send')
    expect(asked!.attributes).toMatchObject({ 'countersign.rail': 'example-bank' })
    const given = calls.find(({ method, url }) => method === 'POST' && url === '/payments')
    expect(given!.headers).toMatchObject({
      traceparent: `00-${caller.traceId}-${asked!.spanId}-01`,
      tracestate,
    })
  })

  test('belongs to one payment, although concurrent payments share a row of due work', async () => {
    const collector = await ownCollector()
    const { client, app } = await ownServer(tracedTo(collector.url))
    const { id, usd } = await newCustomer(client)
    await fund(client, usd, 100_000)
    const bank = await newBankAccount(client, id)
    const callers = Array.from({ length: 20 }, newTraceparent)
    const body = { source: { accountId: usd }, destination: { accountId: bank }, amount: 100 }
    await Promise.all(
      callers.map(({ header }) => client.post('/transfer-out', body, { traceparent: header })),
    )
    await client.advance(0)
    const ofCallers = (name: string) =>
      collector.spans.filter(
        (span) => span.name === name && callers.some(({ traceId }) => traceId === span.traceId),
      )
    const jobs = () => ofCallers('job transfer.settle')
    await expect.poll(() => jobs().length).toBe(callers.length)
    const requestOf = ({ traceId, parentSpanId }: Span) =>
      ofCallers('POST /2025-10-13/transfer-out').find(
        (span) => span.traceId === traceId && span.spanId === parentSpanId,
      )
    await expect.poll(() => jobs().every(requestOf)).toBe(true)
    expect(new Set(jobs().map(({ traceId }) => traceId)).size).toBe(callers.length)
    // The last one removed the row, for the others too.
    await expect.poll(() => ofCallers('delete job row').length).toBeGreaterThan(0)
    const [off] = ofCallers('delete job row')
    expect(off!.links.length).toBeGreaterThan(0)
    for (const { traceId } of off!.links) expect(callers.map((caller) => caller.traceId)).toContain(traceId)
    const sets = ofCallers('commit').map(({ attributes }) => Number(attributes['countersign.commit.sets']))
    expect(Math.max(...sets)).toBeGreaterThan(1)
    expect((await app.db.query('SELECT 1 FROM jobs WHERE kind = $1', ['transfer.settle'])).rows).toEqual([])
  })
})

describe('the collector', () => {
  test('gets protobuf with the headers of the settings', async () => {
    const collector = await ownCollector()
    const { client } = await ownServer({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/base/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=k%20y',
      OTEL_SERVICE_NAME: 'payments-of-acme',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    })
    const caller = newTraceparent()
    await client.send('GET', '/config', undefined, { traceparent: caller.header })
    const has = (bytes: Buffer) => collector.posts.some(({ body }) => body.includes(bytes))
    await expect.poll(() => has(Buffer.from(caller.traceId, 'hex'))).toBe(true)
    expect(has(Buffer.from('payments-of-acme'))).toBe(true)
    expect(collector.posts[0]).toMatchObject({
      path: '/base/v1/traces',
      headers: { 'content-type': 'application/x-protobuf', 'api-key': 'k y' },
    })
  })

  test('that cannot be reached delays nothing: the spans are dropped, counted, and logged once', async () => {
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const { port } = closed.address() as AddressInfo
    await new Promise((resolve) => closed.close(resolve))
    const own = await ownServer(tracedTo(`http://127.0.0.1:${port}`))
    for (let n = 0; n < 20; n++) expect((await own.client.get('/config')).status).toBe(200)
    await expect.poll(() => dropped(own)).toBeGreaterThan(0)
    for (let n = 0; n < 20; n++) expect((await own.client.get('/config')).status).toBe(200)
    const begunMs = performance.now()
    const logText = own.logText
    const lines = () =>
      logText()
        .split('\n')
        .filter((line) => line.includes(LOST))
    expect(lines()).toHaveLength(1)
    expect(JSON.parse(lines()[0]!)).toMatchObject({ level: 40, why: 'ECONNREFUSED' })
    await own.close()
    expect(performance.now() - begunMs).toBeLessThan(timeLimit(10_000))
  })

  test('that is busy gets the same spans again, unlike one that refuses them', async () => {
    const collector = await ownCollector()
    const answers = [503]
    collector.answer = () => answers.shift() ?? 200
    const own = await ownServer(tracedTo(collector.url))
    const busy = newTraceparent()
    await own.client.send('GET', '/config', undefined, { traceparent: busy.header })
    await collector.trace(busy.traceId, (spans) => spans.length > 1)
    expect(await dropped(own)).toBe(0)
    expect(collector.posts[1]!.body).toEqual(collector.posts[0]!.body)
    answers.splice(0, answers.length, 400)
    await own.client.get('/config')
    await expect.poll(() => dropped(own)).toBeGreaterThan(0)
    await own.client.get('/config')
    await expect.poll(() => own.logText()).toContain('the collector accepts traces again')
  })

  test('that does not respond gets a bounded number of spans, and a stop does not wait for it', async () => {
    const collector = await ownCollector()
    let release = () => {}
    const released = new Promise<number>((resolve) => {
      release = () => resolve(200)
    })
    collector.answer = () => released
    onTestFinished(release)
    const lost = { count: 0, lines: [] as object[] }
    const { tracing } = readTracing(tracedTo(collector.url))
    const traces = openTracing(tracing!, 'test', {
      dropped: (count) => {
        lost.count += count
      },
      log: { warn: (fields) => lost.lines.push(fields), info() {} },
    })
    for (let n = 0; n < 10_000; n++) traces.begin({}, { name: 'test' }).end()
    expect(lost).toEqual({ count: 10_000 - 8_192, lines: [{ why: 'the collector is too slow' }] })
    const begunMs = performance.now()
    await traces.close(200)
    expect(performance.now() - begunMs).toBeLessThan(timeLimit(2_000))
    expect(lost.count).toBe(10_000)
  })

  test('gets the last spans when the server stops', async () => {
    const collector = await ownCollector()
    const own = await ownServer({ ...tracedTo(collector.url), OTEL_BSP_SCHEDULE_DELAY: '60000' })
    const caller = newTraceparent()
    await own.client.send('GET', '/config', undefined, { traceparent: caller.header })
    expect(collector.posts).toEqual([])
    await own.close()
    const names = collector.spans.filter(({ traceId }) => traceId === caller.traceId).map(({ name }) => name)
    expect(names).toContain('GET /2025-10-13/config')
  })
})

describe('the built server', () => {
  beforeAll(ensureServerBuilt)

  test('exports traces, and sends the last ones before it ends', async () => {
    const collector = await ownCollector()
    const place = await newPlace()
    const server = await ServerProcess.ready(place, {
      ...tracedTo(collector.url),
      OTEL_BSP_SCHEDULE_DELAY: '60000',
    })
    const caller = newTraceparent()
    await server.client().send('GET', '/config', undefined, { traceparent: caller.header })
    const { code, stderr } = await server.kill('SIGTERM')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(collector.spans.some(({ traceId }) => traceId === caller.traceId)).toBe(true)
  })
})
