import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SECRET_PATTERNS } from '../../../../test/log-secrets.ts'
import { readTracing } from '../../../src/base/settings/tracing.ts'
import { openTracing } from '../../../src/edge/observability/tracing.ts'
import { startDeliverySpan } from '../../../src/people/webhooks/delivery-spans.ts'
import { type Client, fund, newBankAccount, newCustomer, signIn } from '../../worlds/client.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import {
  buildTraceSettings,
  type Collector,
  newTraceparent,
  openCollector,
  type Span,
} from '../../worlds/simulators/otlp-collector.testing.ts'
import { hold, Receiver } from '../../worlds/simulators/webhook-receiver.testing.ts'

let collector: Collector
let server: TestServer
let client: Client
beforeAll(async () => {
  collector = await openCollector()
  server = await openServer({ LOG_LEVEL: 'debug', ...buildTraceSettings(collector.url) })
  client = await server.newPlatform()
})
afterAll(async () => {
  await server.close()
  await collector.close()
})

/** The names of a span's parents, up to the root of its trace. */
function listAncestors(spans: readonly Span[], span: Span): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  return parent ? [parent.name, ...listAncestors(spans, parent)] : []
}

function filterByName(spans: readonly Span[], name: string): Span[] {
  return spans.filter((span) => span.name === name)
}

const EXECUTE = 'POST /2025-10-13/quotes/{quoteId}/execute'

/** Pays from a wallet to a bank account, in the caller's trace. */
async function payFromWallet(payer: Client, extraHeaders: Record<string, string> = {}) {
  const { id, wallet } = await newCustomer(payer)
  await fund(payer, wallet, 10_000_000)
  const session = await signIn(payer, wallet)
  const quote = await payer.post('/quotes', {
    source: { sourceType: 'ACCOUNT', accountId: wallet },
    destination: { destinationType: 'ACCOUNT', accountId: await newBankAccount(payer, id) },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 1_000_000,
  })
  const caller = newTraceparent()
  const { payloadToSign } = quote.body.paymentInstructions[0].accountOrWalletInfo
  const headers = {
    'Svc-Wallet-Signature': session.stamp(payloadToSign),
    traceparent: caller.header,
    ...extraHeaders,
  }
  const path = `/quotes/${quote.body.id}/execute`
  const reply = await payer.send('POST', path, undefined, headers)
  expect(reply.status).toBe(200)
  return { caller, path, headers, reply }
}

describe('a trace', () => {
  test('covers a request, its reads, its commit, its job, the rail and the webhook', async () => {
    const payer = await server.newPlatform()
    const receiver = await Receiver.of(payer)
    const { caller, reply } = await payFromWallet(payer)
    const createJobFilter = (spans: readonly Span[]) => (span: Span) =>
      listAncestors(spans, span).includes('job transaction.settle')
    const spans = await collector.trace(caller.traceId, (all) =>
      filterByName(all, 'POST webhook').some(createJobFilter(all)),
    )

    const [request] = filterByName(spans, EXECUTE)
    expect(request).toMatchObject({
      kind: 2,
      parentSpanId: caller.spanId,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/2025-10-13/quotes/{quoteId}/execute',
        'http.response.status_code': 200,
        'countersign.platform.id': payer.credentials.platformId,
        'countersign.request.id': reply.headers.get('x-request-id'),
      },
    })
    const listChildren = (span: Span | undefined) =>
      spans.filter(({ parentSpanId }) => parentSpanId === span?.spanId).map(({ name }) => name)
    expect(listChildren(request)).toEqual(
      expect.arrayContaining(['SELECT quotes', 'commit', 'job transaction.settle']),
    )
    const [job] = filterByName(spans, 'job transaction.settle')
    expect(job).toMatchObject({ kind: 5, attributes: { 'countersign.job.attempt': 1 } })
    expect(listChildren(job)).toEqual(expect.arrayContaining(['rail send', 'commit', 'POST webhook']))
    expect(filterByName(spans, 'rail send')[0]!.attributes).toMatchObject({
      'countersign.rail': 'sandbox',
      'countersign.rail.outcome': 'delivered',
    })
    expect(filterByName(spans, 'commit')[0]!.attributes).toMatchObject({
      'countersign.commit.sets': expect.anything(),
    })
    const posts = filterByName(spans, 'POST webhook').filter(createJobFilter(spans))
    expect(listAncestors(spans, posts[0]!)).toEqual(['job transaction.settle', EXECUTE])
    // The webhook names the span that sent it.
    const traceparent = `00-${caller.traceId}-${posts[0]!.spanId}-01`
    expect(receiver.received.map(({ headers }) => headers.traceparent)).toContain(traceparent)
  })

  test("of a webhook is its event's trace, even if it waited for an earlier one", async () => {
    const payer = await server.newPlatform()
    const receiver = await Receiver.of(payer)
    const { usd } = await newCustomer(payer)
    await payer.advance(0)
    const release = hold(receiver)
    const callers = [newTraceparent(), newTraceparent(), newTraceparent()]
    for (const { header } of callers)
      await payer.post(`/sandbox/internal-accounts/${usd}/fund`, { amount: 1 }, { traceparent: header })
    release()
    const listAccountWebhooks = () => receiver.received.filter(({ event }) => event.objectId === usd)
    await receiver.until(() => listAccountWebhooks().length === callers.length)
    expect(listAccountWebhooks().map(({ headers }) => headers.traceparent?.split('-')[1])).toEqual(
      callers.map(({ traceId }) => traceId),
    )
    for (const { headers, event } of listAccountWebhooks()) {
      const [, traceId = '', spanId] = headers.traceparent?.split('-') ?? []
      const spans = await collector.trace(traceId, (all) => all.some((span) => span.spanId === spanId))
      expect(spans.find((span) => span.spanId === spanId)).toMatchObject({
        name: 'POST webhook',
        attributes: {
          'countersign.event.id': event.id,
          'countersign.webhook.wait_ms': expect.anything(),
          'http.response.status_code': 200,
        },
      })
    }
  })

  test('follows traceparent, and ignores a malformed one', async () => {
    const malformedHeaders = [
      'x',
      '00-00000000000000000000000000000000-0000000000000000-01',
      `00-${'a'.repeat(32)}-${'b'.repeat(16)}`,
      `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      `00-${'A'.repeat(32)}-${'b'.repeat(16)}-01; DROP`,
    ]
    for (const traceparent of malformedHeaders) {
      const reply = await client.send('GET', '/config', undefined, { traceparent })
      const id = reply.headers.get('x-request-id')
      expect(reply.status).toBe(200)
      const findRequestSpan = () =>
        collector.spans.find(({ attributes }) => attributes['countersign.request.id'] === id)
      await expect.poll(findRequestSpan).toBeDefined()
      expect(findRequestSpan()).not.toHaveProperty('parentSpanId', expect.stringMatching(/./))
      expect(findRequestSpan()!.traceId).not.toBe('a'.repeat(32))
    }
  })

  test('that the caller does not sample is not sampled by the server either', async () => {
    const unsampled = newTraceparent()
    const traceparent = unsampled.header.replace(/01$/, '00')
    expect((await client.send('GET', '/config', undefined, { traceparent })).status).toBe(200)
    const sampled = newTraceparent()
    await client.send('GET', '/config', undefined, { traceparent: sampled.header })
    await collector.trace(sampled.traceId, (spans) => spans.length > 1)
    expect(collector.spans.filter(({ traceId }) => traceId === unsampled.traceId)).toEqual([])
  })

  test('marks a refusal with its code, and a replayed response as replayed', async () => {
    const caller = newTraceparent()
    await client.send('GET', '/quotes/Quote:none', undefined, { traceparent: caller.header })
    const [span] = await collector.trace(caller.traceId, (spans) =>
      spans.some(({ name }) => name === 'GET /2025-10-13/quotes/{quoteId}'),
    )
    expect(span!.traceId).toBe(caller.traceId)
    const request = filterByName(collector.spans, 'GET /2025-10-13/quotes/{quoteId}').find(
      ({ traceId }) => traceId === caller.traceId,
    )
    expect(request).toMatchObject({
      status: 0,
      attributes: { 'http.response.status_code': 404, 'countersign.error.code': 'QUOTE_NOT_FOUND' },
    })

    const headers = { 'Idempotency-Key': 'k', traceparent: newTraceparent().header }
    const body = { customerType: 'INDIVIDUAL', fullName: 'Ada' }
    expect((await client.post('/customers', body, headers)).status).toBe(201)
    const replayCaller = newTraceparent()
    await client.post('/customers', body, { ...headers, traceparent: replayCaller.header })
    const spans = await collector.trace(
      replayCaller.traceId,
      (all) => filterByName(all, 'POST /2025-10-13/customers').length > 0,
    )
    const [replaySpan] = filterByName(spans, 'POST /2025-10-13/customers')
    expect(replaySpan!.attributes).toMatchObject({ 'countersign.idempotency.replayed': true })
    expect(filterByName(spans, 'commit')).toEqual([])
  })

  test('shows the retry of an operation', async () => {
    const traces = new Set<string>()
    const body = { customerType: 'INDIVIDUAL', fullName: 'Ada' }
    /** Sends requests with one key in parallel. They usually conflict in the database, but not always. */
    async function sendInParallel() {
      const callers = Array.from({ length: 4 }, newTraceparent)
      for (const { traceId } of callers) traces.add(traceId)
      const key = `in parallel ${traces.size}`
      const replies = await Promise.all(
        callers.map(({ header }) =>
          client.post('/customers', body, { 'Idempotency-Key': key, traceparent: header }),
        ),
      )
      expect(new Set(replies.map((reply) => reply.body.id)).size).toBe(1)
      await expect.poll(() => findCallerSpans('POST /2025-10-13/customers').length).toBe(traces.size)
      return findCallerSpans('POST /2025-10-13/customers').flatMap(({ events }) => events)
    }
    const findCallerSpans = (name: string) =>
      filterByName(collector.spans, name).filter(({ traceId }) => traces.has(traceId))
    await expect.poll(sendInParallel).toContainEqual({
      name: 'operation.rerun',
      attributes: { attempt: 1, why: 'expectation' },
    })
    expect(findCallerSpans('commit').map(({ attributes }) => attributes)).toContainEqual(
      expect.objectContaining({
        'countersign.commit.guard': 'expectation',
        'countersign.commit.refused_by': 'idempotency_keys_pkey',
      }),
    )
  })

  test('has its id in the log lines of its request and jobs', async () => {
    const payer = await server.newPlatform()
    await Receiver.of(payer)
    const { caller } = await payFromWallet(payer)
    const listLines = () => server.log().filter(({ traceId }) => traceId === caller.traceId)
    await expect.poll(() => listLines().map(({ msg }) => msg)).toContain('attempted webhook delivery')
    await expect.poll(() => listLines().map(({ msg }) => msg)).toContain('request')
  })

  test('is not created for a probe', async () => {
    await fetch(`${server.origin}/healthz`)
    const caller = newTraceparent()
    await client.send('GET', '/config', undefined, { traceparent: caller.header })
    await collector.trace(caller.traceId, (spans) => spans.length > 1)
    expect(collector.spans.filter(({ name }) => /healthz|readyz|metrics/.test(name))).toEqual([])
  })
})

describe('the spans', () => {
  test('of deliveries in a series are in the traces of their events, and exist only for attempted ones', async () => {
    const { tracing: settings } = readTracing(buildTraceSettings(collector.url))
    const tracing = openTracing(settings!, 'series', { log: { warn() {}, info() {} }, dropped() {} })
    const causes = [newTraceparent(), newTraceparent(), newTraceparent()]
    const [first, second, unsent] = causes.map(({ header }, n) =>
      startDeliverySpan({ tracing }, { id: `Event:${n}`, type: 'TEST', traceparent: header }),
    )
    const response = { status: 200, body: new Uint8Array(), isComplete: true, isMultiplexed: false }
    first!.end({ response, startedAfterMs: 0, durationMs: 0 })
    second!.end({ error: 'TIMEOUT', startedAfterMs: 0, durationMs: 0 })
    await tracing.close(10_000)
    const findSpans = ({ traceId }: { traceId: string }) =>
      collector.spans.filter((span) => span.traceId === traceId)
    const [firstSpans, secondSpans, unsentSpans] = causes.map(findSpans)
    expect(firstSpans).toMatchObject([{ parentSpanId: causes[0]!.spanId, status: 0 }])
    expect(secondSpans).toMatchObject([{ status: 2, attributes: { 'error.type': 'TIMEOUT' } }])
    expect(unsentSpans).toEqual([])
    // The header of an unsent delivery still continues the trace of its event.
    expect(unsent!.headers.traceparent).toContain(causes[2]!.traceId)
  })

  test('contain no secrets or bodies, and their names contain no ids', async () => {
    const payer = await server.newPlatform()
    await Receiver.of(payer)
    const { caller, headers } = await payFromWallet(payer)
    await collector.trace(caller.traceId, (all) => filterByName(all, 'POST webhook').length > 0)
    const secrets = [
      payer.credentials.clientSecret,
      payer.authorization,
      headers['Svc-Wallet-Signature'],
      'Ada Lovelace',
      '021000021',
      'from=test',
    ]
    for (const { body } of collector.posts) {
      const text = body.toString()
      for (const secret of secrets) expect(text).not.toContain(secret)
      for (const shape of SECRET_PATTERNS) expect(text).not.toMatch(shape)
    }
    for (const { name } of collector.spans) expect(name).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}|:[A-Za-z0-9]/)
  })

  test('name the service, its version and its instance', () => {
    expect(collector.posts[0]).toMatchObject({ path: '/v1/traces' })
    expect(collector.resources[0]).toMatchObject({
      'service.name': 'countersign',
      'service.version': expect.stringMatching(/^\d/),
      'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })
})
