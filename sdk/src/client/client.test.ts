import { describe, expect, expectTypeOf, test } from 'vitest'
import { Client, type ClientOptions } from './client.ts'
import type { ClientCredentials } from './credentials.ts'
import { ConnectionError, CountersignError } from './errors.ts'

const BASE = 'http://127.0.0.1:1/2025-10-13'
const NOTHING_LISTED = '{"data":[],"hasMore":false}'

interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: string | undefined
}

type Reply = { status: number; body?: string; headers?: Record<string, string> } | 'lost' | 'silence'

/** A server with given replies, one per request, of which it repeats the last one, and its own clock. */
function simulate(
  replies: readonly Reply[],
  options: Partial<ClientOptions> = {},
  credentials: ClientCredentials = { tokenId: 'Token:1', clientSecret: 'sécret' },
) {
  const sent: Sent[] = []
  const pauses: number[] = []
  const client = new Client({
    baseUrl: BASE,
    ...credentials,
    random: (bytes) => bytes.fill(0x80),
    sleep: async (ms) => {
      pauses.push(ms)
    },
    fetch: async (url, init) => {
      const headers = new Headers(init?.headers)
      sent.push({ method: init!.method!, url: String(url), headers, body: init?.body as string | undefined })
      const reply = replies[Math.min(sent.length, replies.length) - 1]!
      if (reply === 'lost') throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
      if (reply === 'silence')
        return new Promise((_, reject) => {
          init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason))
        })
      const body = reply.body ?? null
      return new Response(body, { status: reply.status, ...(reply.headers && { headers: reply.headers }) })
    },
    ...options,
  })
  return { client, sent, pauses }
}

const buildRefusal = (status: number, code: string, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: JSON.stringify({ status, code, message: 'No.', details: { field: 'name' } }),
})

const fund = { params: { accountId: 'InternalAccount:1' }, body: { amount: 9_007_199_254_740_993n } } as const

describe('a call', () => {
  test('follows the contract: method, path, query, body, credentials', async () => {
    const { client, sent } = simulate([{ status: 200, body: NOTHING_LISTED }])
    await client.call('customer_list', { query: { limit: 5, isIncludingDeleted: true, region: 'US' } })
    await client.call('customer_get', { params: { customerId: 'Customer:a/b?c d' } }).catch(() => {})
    const query = { destinationCurrency: ['EUR', 'GBP'], sendingAmount: 9_007_199_254_740_993n }
    await client.call('exchange_rate_list', { query }).catch(() => {})
    expect(sent[0]).toMatchObject({
      method: 'GET',
      url: `${BASE}/customers?limit=5&isIncludingDeleted=true&region=US`,
      body: undefined,
    })
    const credentials = Buffer.from('Token:1:sécret', 'utf8').toString('base64')
    expect(sent[0]!.headers.get('Authorization')).toBe(`Basic ${credentials}`)
    expect(sent[0]!.headers.has('Idempotency-Key')).toBe(false)
    // The colon of an id stays a colon: the payload of a signed call names the path that way.
    expect(sent[1]!.url).toBe(`${BASE}/customers/Customer:a%2Fb%3Fc%20d`)
    expect(sent[2]!.url).toBe(
      `${BASE}/exchange-rates?destinationCurrency=EUR&destinationCurrency=GBP&sendingAmount=9007199254740993`,
    )
  })

  test.each(['', '.', '..'])('cannot be redirected to another path by the id %j', async (quoteId) => {
    const { client, sent } = simulate([{ status: 200, body: '{}' }])
    await expect(client.call('quote_get', { params: { quoteId } })).rejects.toThrow(TypeError)
    expect(sent).toEqual([])
  })

  test('carries amounts beyond 2^53 exactly, both ways', async () => {
    const account =
      '{"id":"InternalAccount:1","balance":{"amount":9223372036854775807},"totalBalance":{"amount":5}}'
    const { client, sent } = simulate([{ status: 200, body: account }])
    const { body } = await client.call('sandbox_account_fund', fund)
    expect(sent[0]!.body).toBe('{"amount":9007199254740993}')
    expect(sent[0]!.headers.get('Content-Type')).toBe('application/json')
    expect(body.balance.amount).toBe(9_223_372_036_854_775_807n)
    expect(body.totalBalance.amount).toBe(5n)
  })

  test('reports a stored response', async () => {
    const headers = { 'Idempotency-Replayed': 'true' }
    const { client } = simulate([
      { status: 200, body: '{}', headers },
      { status: 200, body: '{}' },
    ])
    expect((await client.call('sandbox_account_fund', fund)).isReplayed).toBe(true)
    expect((await client.call('sandbox_account_fund', fund)).isReplayed).toBe(false)
  })

  test('without a response body has an undefined body', async () => {
    const { client } = simulate([{ status: 204 }])
    const response = await client.call('token_delete', { params: { tokenId: 'Token:2' } })
    expect(response).toEqual({ status: 204, body: undefined, isReplayed: false })
  })

  test('has the types of the contract', () => {
    const { client } = simulate([])
    const execute = () => client.call('quote_execute', { params: { quoteId: 'Quote:1' } })
    expectTypeOf<Awaited<ReturnType<typeof execute>>['status']>().toEqualTypeOf<200 | 202>()
    const quote = () => client.call('quote_get', { params: { quoteId: 'Quote:1' } })
    expectTypeOf<Awaited<ReturnType<typeof quote>>['body']['totalSendingAmount']>().toEqualTypeOf<bigint>()
    // @ts-expect-error: the id is missing
    const getMissing = () => client.call('quote_get')
    // @ts-expect-error: this endpoint does not exist
    const unknown = () => client.call('quote_destroy')
    expect([getMissing, unknown]).toHaveLength(2)
  })
})

describe('a client without credentials', () => {
  test('sends no Authorization header, because its backend adds the credentials', async () => {
    const { client, sent } = simulate([{ status: 200, body: NOTHING_LISTED }], {}, {})
    await client.call('customer_list')
    expect(sent[0]!.headers.has('Authorization')).toBe(false)
  })

  test('rejects a token id without a secret, and a secret without a token id', () => {
    expect(() => new Client({ baseUrl: BASE, tokenId: 'Token:1' })).toThrow(TypeError)
    expect(() => new Client({ baseUrl: BASE, clientSecret: 'secret' })).toThrow(TypeError)
  })

  test('names the credential options that are undefined or empty', () => {
    // @ts-expect-error: programs in JavaScript, or without exact optional properties, can do this
    expect(() => new Client({ baseUrl: BASE, tokenId: undefined, clientSecret: undefined })).toThrow(
      'tokenId and clientSecret are undefined or empty',
    )
    // @ts-expect-error
    expect(() => new Client({ baseUrl: BASE, accessToken: undefined })).toThrow('accessToken is undefined')
    expect(() => new Client({ baseUrl: BASE, tokenId: 'Token:1', clientSecret: '' })).toThrow(
      'clientSecret is undefined or empty',
    )
  })

  test('rejects a missing or invalid base URL', () => {
    const missing = 'baseUrl is missing. It must be the address'
    // @ts-expect-error
    expect(() => new Client({ baseUrl: undefined })).toThrow(missing)
    // @ts-expect-error
    expect(() => new Client({ baseUrl: null })).toThrow(missing)
    expect(() => new Client({ baseUrl: '' })).toThrow(missing)
    for (const baseUrl of ['localhost:8787', '/2025-10-13', 'ftp://127.0.0.1', 'http://'])
      expect(() => new Client({ baseUrl })).toThrow(`not "${baseUrl}"`)
  })
})

describe("the enclave's key", () => {
  const key = `04${'ab'.repeat(64)}`
  const keyReply: Reply = { status: 200, body: JSON.stringify({ enclaveQuorumPublic: key }) }

  test('is fetched once, at the root of the server', async () => {
    const { client, sent } = simulate([keyReply])
    expect(await Promise.all([client.quorumPublicKey(), client.quorumPublicKey()])).toEqual([key, key])
    expect(sent.map(({ url }) => url)).toEqual(['http://127.0.0.1:1/.well-known/countersign.json'])
    expect(sent[0]!.headers.has('Authorization')).toBe(false)
  })

  test.each<Reply>([
    { status: 404, body: JSON.stringify({ enclaveQuorumPublic: key }) },
    { status: 200, body: '{"enclaveQuorumPublic":"04ab"}' },
    { status: 200, body: 'null' },
    { status: 200, body: '<html>' },
  ])('is not accepted from %j, and fetched again', async (reply) => {
    const { client } = simulate([reply, keyReply])
    await expect(client.quorumPublicKey()).rejects.toMatchObject({ code: 'UNREADABLE_ANSWER' })
    expect(await client.quorumPublicKey()).toBe(key)
  })
})

describe('an error response', () => {
  test('becomes an error with all fields of the response', async () => {
    const body =
      '{"status":401,"code":"UNAUTHORIZED","message":"No.","reason":"Invalid OTP code","details":{"a":1}}'
    const { client } = simulate([{ status: 401, body, headers: { 'X-Request-Id': 'r-1' } }])
    const error = await client.call('config_get').catch((error: unknown) => error)
    expect(error).toBeInstanceOf(CountersignError)
    expect(error).toMatchObject({
      status: 401,
      code: 'UNAUTHORIZED',
      message: 'No.',
      reason: 'Invalid OTP code',
      details: { a: 1 },
      httpRequestId: 'r-1',
    })
  })

  test('has its amounts as bigint and links to the page that explains the error', async () => {
    const docUrl = 'http://localhost/docs/errors#INSUFFICIENT_BALANCE'
    const body = `{"status":400,"code":"INSUFFICIENT_BALANCE","message":"No.","docUrl":"${docUrl}","details":{"available":0,"required":9007199254740993,"bytesMax":7,"accounts":[{"id":"a","balance":5}]}}`
    const { client } = simulate([{ status: 400, body }])
    await expect(client.call('config_get')).rejects.toMatchObject({
      docUrl,
      details: {
        available: 0n,
        required: 9_007_199_254_740_993n,
        bytesMax: 7,
        accounts: [{ id: 'a', balance: 5n }],
      },
    })
  })

  test.each([
    { status: 502, body: '<html>Bad gateway</html>' },
    { status: 404, body: '' },
    { status: 418, body: '[]' },
    { status: 200, body: 'not JSON' },
    { status: 201, body: '{}' },
  ])('that is not from this API has its own code: $status $body', async (reply) => {
    const { client } = simulate([reply])
    const error = await client.call('config_get').catch((error: unknown) => error)
    expect(error).toMatchObject({ name: 'CountersignError', status: reply.status, code: 'UNREADABLE_ANSWER' })
  })

  test('is not retried if a retry cannot help', async () => {
    const { client, sent } = simulate([buildRefusal(400, 'INVALID_INPUT')])
    await expect(client.call('sandbox_account_fund', fund)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    expect(sent).toHaveLength(1)
  })
})

describe('a retry', () => {
  test('after a lost connection sends the same key and body, with increasing pauses', async () => {
    const { client, sent, pauses } = simulate(['lost', 'lost', 'lost', { status: 200, body: '{}' }])
    await client.call('sandbox_account_fund', fund)
    expect(sent).toHaveLength(4)
    const keys = new Set(sent.map(({ headers }) => headers.get('Idempotency-Key')))
    expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)])
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1)
    expect(pauses).toEqual([150, 300, 600])
  })

  test('does not repeat the sandbox fault that the first attempt requested', async () => {
    const { client, sent } = simulate(['lost', buildRefusal(503, 'UNAVAILABLE'), { status: 200, body: '{}' }])
    await client.call('sandbox_account_fund', { ...fund, sandboxFault: 'lost-answer' })
    const faults = sent.map(({ headers }) => headers.get('Svc-Sandbox-Fault'))
    expect(faults).toEqual(['lost-answer', null, null])
  })

  test('stops after the last attempt, and its error contains the key for another attempt', async () => {
    const { client, sent } = simulate(['lost'], { triesMax: 3 })
    const error = await client
      .call('sandbox_account_fund', { ...fund, idempotencyKey: 'mine' })
      .catch((e) => e)
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ isTimeout: false, idempotencyKey: 'mine' })
    expect(error.message).toBe('127.0.0.1:1 cannot be reached: connect ECONNREFUSED.')
    expect(sent).toHaveLength(3)
  })

  test('waits for the Retry-After time of a 429 or 503', async () => {
    const { client, pauses } = simulate([
      buildRefusal(429, 'RATE_LIMITED', { 'Retry-After': '7' }),
      buildRefusal(503, 'UNAVAILABLE'),
      { status: 200, body: NOTHING_LISTED },
    ])
    await client.call('customer_list')
    expect(pauses).toEqual([7000, 300])
  })

  test('rejects immediately if Retry-After is too long to wait', async () => {
    const { client, sent } = simulate([buildRefusal(429, 'RATE_LIMITED', { 'Retry-After': '600' })])
    await expect(client.call('customer_list')).rejects.toMatchObject({ retryAfterSeconds: 600 })
    expect(sent).toHaveLength(1)
  })

  test('is not made if it could execute an operation twice', async () => {
    const params = { id: 'AuthMethod:1' }
    for (const reply of ['lost', buildRefusal(503, 'UNAVAILABLE')] as const) {
      const { client, sent } = simulate([reply])
      await expect(client.call('credential_challenge', { params })).rejects.toThrow()
      expect(sent).toHaveLength(1)
    }
  })
})

describe('the duration of a call', () => {
  test('is limited for each attempt', async () => {
    const { client, sent } = simulate(['silence'], { timeoutMs: 5, triesMax: 2 })
    const error = await client.call('config_get').catch((error: unknown) => error)
    expect(error).toMatchObject({ name: 'ConnectionError', isTimeout: true })
    expect(sent).toHaveLength(2)
  })

  test('ends when the caller aborts, without another attempt', async () => {
    const { client, sent } = simulate(['silence'])
    const controller = new AbortController()
    const call = client.call('config_get', { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    expect(sent.length).toBeLessThanOrEqual(1)
  })
})
