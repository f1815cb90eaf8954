import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SECRET_PATTERNS } from '../../../../test/log-secrets.ts'
import { type Client, fund, newBankAccount, newCustomer, signIn } from '../../worlds/client.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import {
  type Collector,
  newTraceparent,
  openCollector,
  type Span,
  tracedTo,
} from '../../worlds/simulators/otlp-collector.testing.ts'
import { hold, Receiver } from '../../worlds/simulators/webhook-receiver.testing.ts'

let collector: Collector
let own: TestServer
let client: Client
beforeAll(async () => {
  collector = await openCollector()
  own = await openServer({ LOG_LEVEL: 'debug', ...tracedTo(collector.url) })
  client = await own.newPlatform()
})
afterAll(async () => {
  await own.close()
  await collector.close()
})

/** The spans above one, up to the beginning of its trace. */
function above(spans: readonly Span[], span: Span): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  return parent ? [parent.name, ...above(spans, parent)] : []
}

function spansNamed(spans: readonly Span[], name: string): Span[] {
  return spans.filter((span) => span.name === name)
}

const EXECUTE = 'POST /2025-10-13/quotes/{quoteId}/execute'

/** Pays from a wallet to a bank account, in the caller's own trace. */
async function pay(payer: Client, more: Record<string, string> = {}) {
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
    ...more,
  }
  const path = `/quotes/${quote.body.id}/execute`
  const executed = await payer.send('POST', path, undefined, headers)
  expect(executed.status).toBe(200)
  return { caller, path, headers, executed }
}

describe('a trace', () => {
  test('covers a request, its reads, its commit, its job, the rail and the webhook', async () => {
    const payer = await own.newPlatform()
    const receiver = await Receiver.of(payer)
    const { caller, executed } = await pay(payer)
    const isOfJob = (spans: readonly Span[]) => (span: Span) =>
      above(spans, span).includes('job transaction.settle')
    const spans = await collector.trace(caller.traceId, (all) =>
      spansNamed(all, 'POST webhook').some(isOfJob(all)),
    )

    const [request] = spansNamed(spans, EXECUTE)
    expect(request).toMatchObject({
      kind: 2,
      parentSpanId: caller.spanId,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/2025-10-13/quotes/{quoteId}/execute',
        'http.response.status_code': 200,
        'countersign.platform.id': payer.credentials.platformId,
        'countersign.request.id': executed.headers.get('x-request-id'),
      },
    })
    const below = (span: Span | undefined) =>
      spans.filter(({ parentSpanId }) => parentSpanId === span?.spanId).map(({ name }) => name)
    expect(below(request)).toEqual(
      expect.arrayContaining(['SELECT quotes', 'commit', 'job transaction.settle']),
    )
    const [job] = spansNamed(spans, 'job transaction.settle')
    expect(job).toMatchObject({ kind: 5, attributes: { 'countersign.job.attempt': 1 } })
    expect(below(job)).toEqual(expect.arrayContaining(['rail send', 'commit', 'POST webhook']))
    expect(spansNamed(spans, 'rail send')[0]!.attributes).toMatchObject({
      'countersign.rail': 'sandbox',
      'countersign.rail.outcome': 'delivered',
    })
    expect(spansNamed(spans, 'commit')[0]!.attributes).toMatchObject({
      'countersign.commit.sets': expect.anything(),
    })
    const posts = spansNamed(spans, 'POST webhook').filter(isOfJob(spans))
    expect(above(spans, posts[0]!)).toEqual(['job transaction.settle', EXECUTE])
    // The webhook names the span that sent it.
    const traceparent = `00-${caller.traceId}-${posts[0]!.spanId}-01`
    expect(receiver.received.map(({ headers }) => headers.traceparent)).toContain(traceparent)
  })

  test("of a webhook is its event's trace, even if it waited for an earlier one", async () => {
    const payer = await own.newPlatform()
    const receiver = await Receiver.of(payer)
    const { usd } = await newCustomer(payer)
    await payer.advance(0)
    const release = hold(receiver)
    const callers = [newTraceparent(), newTraceparent(), newTraceparent()]
    for (const { header } of callers)
      await payer.post(`/sandbox/internal-accounts/${usd}/fund`, { amount: 1 }, { traceparent: header })
    release()
    const ofAccount = () => receiver.received.filter(({ event }) => event.objectId === usd)
    await receiver.until(() => ofAccount().length === callers.length)
    expect(ofAccount().map(({ headers }) => headers.traceparent?.split('-')[1])).toEqual(
      callers.map(({ traceId }) => traceId),
    )
  })

  test('follows traceparent, and ignores a malformed one', async () => {
    const malformed = [
      'x',
      '00-00000000000000000000000000000000-0000000000000000-01',
      `00-${'a'.repeat(32)}-${'b'.repeat(16)}`,
      `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      `00-${'A'.repeat(32)}-${'b'.repeat(16)}-01; DROP`,
    ]
    for (const traceparent of malformed) {
      const reply = await client.send('GET', '/config', undefined, { traceparent })
      const id = reply.headers.get('x-request-id')
      expect(reply.status).toBe(200)
      const ofRequest = () =>
        collector.spans.find(({ attributes }) => attributes['countersign.request.id'] === id)
      await expect.poll(ofRequest).toBeDefined()
      expect(ofRequest()).not.toHaveProperty('parentSpanId', expect.stringMatching(/./))
      expect(ofRequest()!.traceId).not.toBe('a'.repeat(32))
    }
  })

  test('that its caller does not sample is not sampled here either', async () => {
    const unkept = newTraceparent()
    const traceparent = unkept.header.replace(/01$/, '00')
    expect((await client.send('GET', '/config', undefined, { traceparent })).status).toBe(200)
    const kept = newTraceparent()
    await client.send('GET', '/config', undefined, { traceparent: kept.header })
    await collector.trace(kept.traceId, (spans) => spans.length > 1)
    expect(collector.spans.filter(({ traceId }) => traceId === unkept.traceId)).toEqual([])
  })

  test('marks a refusal with its code, and a replayed response as such', async () => {
    const refused = newTraceparent()
    await client.send('GET', '/quotes/Quote:none', undefined, { traceparent: refused.header })
    const [span] = await collector.trace(refused.traceId, (spans) =>
      spans.some(({ name }) => name === 'GET /2025-10-13/quotes/{quoteId}'),
    )
    expect(span!.traceId).toBe(refused.traceId)
    const request = spansNamed(collector.spans, 'GET /2025-10-13/quotes/{quoteId}').find(
      ({ traceId }) => traceId === refused.traceId,
    )
    expect(request).toMatchObject({
      status: 0,
      attributes: { 'http.response.status_code': 404, 'countersign.error.code': 'QUOTE_NOT_FOUND' },
    })

    const headers = { 'Idempotency-Key': 'k', traceparent: newTraceparent().header }
    const body = { customerType: 'INDIVIDUAL', fullName: 'Ada' }
    expect((await client.post('/customers', body, headers)).status).toBe(201)
    const again = newTraceparent()
    await client.post('/customers', body, { ...headers, traceparent: again.header })
    const spans = await collector.trace(
      again.traceId,
      (all) => spansNamed(all, 'POST /2025-10-13/customers').length > 0,
    )
    const [replayed] = spansNamed(spans, 'POST /2025-10-13/customers')
    expect(replayed!.attributes).toMatchObject({ 'countersign.idempotency.replayed': true })
    expect(spansNamed(spans, 'commit')).toEqual([])
  })

  test('shows the retry of an operation', async () => {
    const traces = new Set<string>()
    const body = { customerType: 'INDIVIDUAL', fullName: 'Ada' }
    /** Sends calls with one key in parallel. Usually some of them meet in the database, but not always. */
    async function meet() {
      const callers = Array.from({ length: 4 }, newTraceparent)
      for (const { traceId } of callers) traces.add(traceId)
      const key = `in parallel ${traces.size}`
      const replies = await Promise.all(
        callers.map(({ header }) =>
          client.post('/customers', body, { 'Idempotency-Key': key, traceparent: header }),
        ),
      )
      expect(new Set(replies.map((reply) => reply.body.id)).size).toBe(1)
      await expect.poll(() => ofCallers('POST /2025-10-13/customers').length).toBe(traces.size)
      return ofCallers('POST /2025-10-13/customers').flatMap(({ events }) => events)
    }
    const ofCallers = (name: string) =>
      spansNamed(collector.spans, name).filter(({ traceId }) => traces.has(traceId))
    await expect.poll(meet).toContainEqual({
      name: 'operation.rerun',
      attributes: { attempt: 1, why: 'expectation' },
    })
    expect(ofCallers('commit').map(({ attributes }) => attributes)).toContainEqual(
      expect.objectContaining({
        'countersign.commit.guard': 'expectation',
        'countersign.commit.refused_by': 'idempotency_keys_pkey',
      }),
    )
  })

  test('has its id in the lines of its request and of its jobs', async () => {
    const payer = await own.newPlatform()
    await Receiver.of(payer)
    const { caller } = await pay(payer)
    const lines = () => own.log().filter(({ traceId }) => traceId === caller.traceId)
    await expect.poll(() => lines().map(({ msg }) => msg)).toContain('attempted webhook delivery')
    await expect.poll(() => lines().map(({ msg }) => msg)).toContain('request')
  })

  test('is not made for a probe', async () => {
    await fetch(`${own.origin}/healthz`)
    const caller = newTraceparent()
    await client.send('GET', '/config', undefined, { traceparent: caller.header })
    await collector.trace(caller.traceId, (spans) => spans.length > 1)
    expect(collector.spans.filter(({ name }) => /healthz|readyz|metrics/.test(name))).toEqual([])
  })
})

describe('the spans', () => {
  test('hold no secret and no body, and their names no id', async () => {
    const payer = await own.newPlatform()
    await Receiver.of(payer)
    const { caller, headers } = await pay(payer)
    await collector.trace(caller.traceId, (all) => spansNamed(all, 'POST webhook').length > 0)
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

  test('are of a service with a name, a version and an instance', () => {
    expect(collector.posts[0]).toMatchObject({ path: '/v1/traces' })
    expect(collector.resources[0]).toMatchObject({
      'service.name': 'countersign',
      'service.version': expect.stringMatching(/^\d/),
      'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })
})
