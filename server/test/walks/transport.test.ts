import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { API } from '@countersign/contract/api'
import { type Endpoint, getBodyBytesMax } from '@countersign/contract/core/endpoint'
import type { ErrorCode } from '@countersign/contract/core/errors'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseJson } from '../../src/base/json/json.ts'
import {
  type Client,
  fund,
  newBankAccount,
  newCustomer,
  newPlatform,
  type Reply,
  signIn,
} from '../worlds/client.testing.ts'
import { buildMissingPath, expectError, forEach, selectCaller } from '../worlds/contract/calls.testing.ts'
import { ENDPOINTS } from '../worlds/contract/schemas.testing.ts'
import { type AgentClient, newAgent } from '../worlds/records/agents.testing.ts'
import { type Browser, newMember } from '../worlds/records/members.testing.ts'

let client: Client
let agent: AgentClient
let browser: Browser
beforeAll(async () => {
  client = await newPlatform()
  agent = await newAgent(client, (await newCustomer(client)).id)
  browser = (await newMember(client, ['VIEW'])).browser
})

const JSON_TYPE = { 'Content-Type': 'application/json' }
const CUSTOMER_BODY = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' }

const buildAuthorization = (endpoint: Endpoint): Record<string, string> => ({
  Authorization: selectCaller(endpoint, { client, agent, browser }).authorization,
  ...(endpoint.auth === 'member'
    ? { ...browser.headersOf(endpoint.method), Origin: new URL(client.baseUrl).origin }
    : {}),
})

/** Sends a request, and adds only the credentials to it. */
async function send(
  method: string,
  path: string,
  init: { headers?: Record<string, string>; body?: BodyInit } = {},
) {
  const headers = { Authorization: client.authorization, ...init.headers }
  const response = await fetch(client.baseUrl + path, { ...init, method, headers })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const reply: Reply = {
    status: response.status,
    body: text === '' ? undefined : isJson ? parseJson(text) : text,
    headers: response.headers,
  }
  return reply
}

async function countCustomers(): Promise<number> {
  return (await client.get('/customers')).body.totalCount
}

describe('a request body', () => {
  test('of one byte more than the limit of its endpoint gets 413 with the limit', async () => {
    const bytes = getBodyBytesMax(API.customer_create)
    const padBody = (length: number) => JSON.stringify(CUSTOMER_BODY).padEnd(length, ' ')
    const accepted = await send('POST', '/customers', { headers: JSON_TYPE, body: padBody(bytes) })
    expect(accepted.status).toBe(201)
    const before = await countCustomers()
    const tooLarge = { headers: JSON_TYPE, body: padBody(bytes + 1) }
    const refused = await send('POST', '/customers', tooLarge)
    expectError(refused, { code: 'PAYLOAD_TOO_LARGE' })
    expect(refused.body.message).toContain(String(bytes))
    expect(refused.body.details).toEqual({ bodyBytesMax: bytes })
    expect(await countCustomers()).toBe(before)
  })

  test('without a stated length is refused when it exceeds the limit', async () => {
    const chunks = Array(20).fill(new Uint8Array(64 * 1024).fill(0x20))
    const { port, pathname } = new URL(`${client.baseUrl}/customers`)
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(buildHead(`POST ${pathname} HTTP/1.1`, { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' }))
    for (const chunk of chunks)
      socket.write(Buffer.concat([Buffer.from('10000\r\n'), chunk, Buffer.from('\r\n')]))
    socket.write('0\r\n\r\n')
    expectRawError(await readResponse(socket), 'PAYLOAD_TOO_LARGE')
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json5',
    'text/json',
    'application/xml',
    'json',
    '*/*',
    'application/json, text/plain',
  ])('of the media type %s gets 415 from every endpoint that has a body', async (type) => {
    const endpoints = ENDPOINTS.filter(([, { body, upload }]) => body && !upload)
    await forEach(endpoints, async ([name, endpoint]) => {
      const reply = await send(endpoint.method, buildMissingPath(endpoint), {
        headers: { 'Content-Type': type, ...buildAuthorization(endpoint) },
        body: '{}',
      })
      expectError(reply, { code: 'UNSUPPORTED_MEDIA_TYPE', what: name })
    })
  })

  test('without a media type gets 415', async () => {
    const reply = await send('POST', '/customers', {
      body: new TextEncoder().encode(JSON.stringify(CUSTOMER_BODY)),
    })
    expectError(reply, { code: 'UNSUPPORTED_MEDIA_TYPE' })
  })

  test.each(['application/json;charset=utf-8', 'Application/JSON', 'application/json; charset="UTF-8"'])(
    'of the media type %s is read as JSON',
    async (type) => {
      const reply = await send('POST', '/customers', {
        headers: { 'Content-Type': type },
        body: JSON.stringify(CUSTOMER_BODY),
      })
      expect(reply.status).toBe(201)
    },
  )

  test.each(['utf-16', 'UTF-16LE', '"iso-8859-1"', 'x'])('with the charset %s gets 415', async (charset) => {
    const reply = await send('POST', '/customers', {
      headers: { 'Content-Type': `application/json; charset=${charset}` },
      body: JSON.stringify(CUSTOMER_BODY),
    })
    expectError(reply, { code: 'UNSUPPORTED_MEDIA_TYPE' })
    expect(reply.body.message).toContain('utf-8')
  })

  test.each(['gzip', 'br', 'deflate', 'x', 'identity, gzip'])(
    'with the content encoding %s gets 415',
    async (encoding) => {
      const body = gzipSync(JSON.stringify(CUSTOMER_BODY))
      const reply = await send('POST', '/customers', {
        headers: { ...JSON_TYPE, 'Content-Encoding': encoding },
        body,
      })
      expectError(reply, { code: 'UNSUPPORTED_MEDIA_TYPE' })
    },
  )

  test.each([
    ['ff', [0xff]],
    ['an overlong NUL', [0xc0, 0x80]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a cut character', [0xe2, 0x82]],
    ['Latin-1', [0xe9]],
  ])('that is not UTF-8 (%s) gets 400', async (_, bytes) => {
    const [before, after] = ['{"customerType":"INDIVIDUAL","fullName":"a', '"}'].map((text) =>
      Buffer.from(text),
    )
    const body = Buffer.concat([before!, Buffer.from(bytes), after!])
    expectError(await send('POST', '/customers', { headers: JSON_TYPE, body }), {
      code: 'INVALID_INPUT',
      field: 'body',
    })
  })

  test.each(['utf16le', 'utf-16be with a mark'])('in the encoding %s gets 400', async (encoding) => {
    const text = Buffer.from(`\ufeff${JSON.stringify(CUSTOMER_BODY)}`, 'utf16le')
    const body = encoding === 'utf16le' ? text : text.swap16()
    expectError(await send('POST', '/customers', { headers: JSON_TYPE, body }), {
      code: 'INVALID_INPUT',
      field: 'body',
    })
  })

  test('that is missing gets 400 from every endpoint that requires one', async () => {
    const endpoints = ENDPOINTS.filter(
      ([, { body, bodyOptional, upload }]) => body && !bodyOptional && !upload,
    )
    await forEach(endpoints, async ([name, endpoint]) => {
      const path = buildMissingPath(endpoint)
      const headers = buildAuthorization(endpoint)
      const typed = { ...JSON_TYPE, ...headers }
      for (const init of [{ headers }, { headers: typed }, { headers: typed, body: '' }])
        expectError(await send(endpoint.method, path, init), {
          code: 'INVALID_INPUT',
          field: 'body',
          what: name,
        })
    })
  })

  test('with too many values gets 400, however short it is', async () => {
    const buildBody = (values: number) => `{"supportedCurrencies":[${'1,'.repeat(values)}1]}`
    const reply = await send('PATCH', '/config', { headers: JSON_TYPE, body: buildBody(6_000) })
    expectError(reply, { code: 'INVALID_INPUT', field: 'body' })
    expect(reply.body.message).toBe('The body has too many properties and array items (5000 at most).')
  })

  test('of an unauthenticated caller is not checked, so the response is 401', async () => {
    const headers = { ...JSON_TYPE, Authorization: 'Basic eDp5' }
    expectError(await send('POST', '/customers', { headers, body: '{' }), { code: 'UNAUTHORIZED' })
  })
})

describe('a request path', () => {
  test.each([
    '/nothing',
    '/customers/',
    '/CUSTOMERS',
    '//customers',
    '/customers/a/b/c',
    '/.',
    '/%2e%2e/customers',
    '/',
  ])('%s that does not exist gets 404 for any method and body', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expectError(await send(method, path, method === 'POST' ? { body: 'x' } : {}), {
        code: 'NOT_FOUND',
        what: method,
      })
  })

  test('outside the base URL gets 404', async () => {
    for (const path of [
      '/nothing',
      '/v1/customers',
      '/2025-10-14/customers',
      '/customers',
      '/2025-10-13x/customers',
    ]) {
      const response = await fetch(new URL(path, client.baseUrl))
      expect(await response.json()).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    }
  })

  test.each(['/%', '/%zz', '/customers/%', '/customers/%ff', '/customers/%c0%80', '/%00'])(
    '%s that is malformed or matches no endpoint gets 400 or 404 with an error code',
    async (path) => {
      const reply = await send('GET', path)
      expect([400, 404]).toContain(reply.status)
      expectError(reply, { code: reply.body.code })
    },
  )

  test('may contain unnecessary escapes, and still finds the record and matches its signature', async () => {
    const { wallet, id } = await newCustomer(client)
    expect((await client.get(`/customers/${encodeURIComponent(id)}`)).body.id).toBe(id)
    await fund(client, wallet, 50_000_000)
    const [device, external] = [await signIn(client, wallet), await newBankAccount(client, id)]
    const quote = await client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: wallet },
      destination: { destinationType: 'ACCOUNT', accountId: external },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 10_000_000,
    })
    const path = `/quotes/${encodeURIComponent(quote.body.id)}/execute`
    const challenge = await client.post(path)
    const executed = await client.post(path, undefined, {
      'Svc-Wallet-Signature': device.stamp(challenge.body.payloadToSign),
      'Request-Id': challenge.body.requestId,
    })
    expect(executed.status, JSON.stringify(executed.body)).toBe(200)
  })

  test('or query of many thousands of characters gets 400 or 404 with an error code', async () => {
    const long = 'a'.repeat(8000)
    const unknown = await send('GET', `/customers/${long}`)
    expect([400, 404]).toContain(unknown.status)
    expectError(unknown, { code: unknown.body.code })
    expectError(await send('GET', `/customers?platformCustomerId=${long}`), { code: 'INVALID_INPUT' })
    expectError(await send('GET', `/customers?cursor=${long}`), { code: 'INVALID_INPUT', field: 'cursor' })
    expectError(await send('GET', `/customers?unknown=${long}`), { code: 'INVALID_INPUT', field: 'unknown' })
    expectError(await send('GET', `/customers?${long}=1`), { code: 'INVALID_INPUT' })
    expectError(await send('GET', `/customers?${'a=1&'.repeat(2000)}`), { code: 'INVALID_INPUT', field: 'a' })
    const tooLong = await send('GET', `/customers?unknown=${'a'.repeat(20_000)}`)
    expectError(tooLong, { code: 'INVALID_INPUT' })
  })
})

describe('every endpoint path', () => {
  const byPath = new Map<string, (typeof ENDPOINTS)[number][]>()
  for (const entry of ENDPOINTS) byPath.set(entry[1].path, [...(byPath.get(entry[1].path) ?? []), entry])

  test.each([...byPath])(
    '%s returns 405 for unsupported methods and lists the supported ones',
    async (_, endpoints) => {
      const supported = endpoints.map(([, { method }]) => method as string)
      if (supported.includes('GET')) supported.push('HEAD')
      const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'REPORT', 'PURGE']
      for (const method of methods.filter((candidate) => !supported.includes(candidate))) {
        const body = method === 'POST' || method === 'PUT' ? { body: 'text' } : {}
        const reply = await send(method, buildMissingPath(endpoints[0]![1]), body)
        expectError(reply, { code: 'METHOD_NOT_ALLOWED', what: method })
        expect(reply.headers.get('allow')!.split(', ').sort()).toEqual([...supported].sort())
      }
    },
  )

  test('answers HEAD as GET without a body, or returns 405 if it has no GET', async () => {
    await forEach([...byPath], async ([path, endpoints]) => {
      const get = endpoints.find(([, { method }]) => method === 'GET')
      const address = buildMissingPath(endpoints[0]![1])
      const headReply = await send('HEAD', address)
      expect(headReply.body, path).toBeUndefined()
      // A GET of the stream would not end.
      const expected = path === '/events/stream' ? 200 : get ? (await send('GET', address)).status : 405
      expect(headReply.status, path).toBe(expected)
    })
  })
})

test('no response may be cached, errors included', { tags: 'smoke' }, async () => {
  for (const path of ['/config', '/customers/Customer:none', '/customers?limit=0'])
    expect((await client.get(path)).headers.get('cache-control'), path).toBe('no-store')
})

describe('input that is not valid HTTP', () => {
  test.each([
    ['garbage', '\u0000\u0001\u0002 garbage\r\n\r\n'],
    ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
    ['an unknown method', 'FETCH /2025-10-13/config HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an unknown version', 'GET /2025-10-13/config HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['a header without a name', 'GET /2025-10-13/config HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n'],
    ['a header with a NUL', 'GET /2025-10-13/config HTTP/1.1\r\nHost: a\r\nX: \u0000\r\n\r\n'],
    [
      'a length that is not a number',
      'POST /2025-10-13/customers HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n',
    ],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['headers without end', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`],
  ])('such as %s gets 400 with an error body, and the server keeps running', async (_, text) => {
    const socket = connect(Number(new URL(client.baseUrl).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(Buffer.from(text, 'latin1'))
    expectRawError(await readResponse(socket), 'INVALID_INPUT')
    expect((await client.get('/config')).status).toBe(200)
  })

  test('such as a request cut off by the end of its connection has no effect', async () => {
    const before = await countCustomers()
    const { port, pathname } = new URL(`${client.baseUrl}/customers`)
    const starts = [
      'GET',
      `POST ${pathname} HTTP/1.1\r\n`,
      buildHead(`POST ${pathname} HTTP/1.1`, { 'Content-Length': '100' }),
    ]
    for (const start of [...starts, `${starts[2]}{"customerType":"INDIVIDUAL"`]) {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => {})
      await once(socket, 'connect')
      await new Promise<void>((resolve) => socket.write(start, () => resolve()))
      socket.destroy()
    }
    expect(await countCustomers()).toBe(before)
  })
})

function buildHead(line: string, headers: Record<string, string>): string {
  const allHeaders = { Host: 'a', Authorization: client.authorization, ...JSON_TYPE, ...headers }
  return `${line}\r\n${Object.entries(allHeaders)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`
}

/** Reads everything that a socket receives until the server closes it. */
async function readResponse(socket: ReturnType<typeof connect>): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    // Tells a server that keeps the connection open that no more data follows.
    socket.end()
  })
  await once(socket, 'close')
  return Buffer.concat(chunks).toString()
}

function expectRawError(response: string, code: ErrorCode): void {
  const [headers, body] = response.split('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(headers ?? '')?.[1])
  expect(headers?.toLowerCase(), response).toContain('content-type: application/json')
  expect(parseJson(body!), response).toMatchObject({ status, code, message: expect.any(String) })
}
