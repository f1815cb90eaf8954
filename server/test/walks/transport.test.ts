import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { API } from '@countersign/contract/api'
import { bodyBytesMaxOf, type Endpoint } from '@countersign/contract/core/endpoint'
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
import { callerOf, expectError, forEach, pathToNothing } from '../worlds/contract/calls.testing.ts'
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
const customer = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' }

const authorizationFor = (endpoint: Endpoint): Record<string, string> => ({
  Authorization: callerOf(endpoint, { client, agent, browser }).authorization,
  ...(endpoint.auth === 'member'
    ? { ...browser.headersOf(endpoint.method), Origin: new URL(client.baseUrl).origin }
    : {}),
})

/** A request with nothing added to it but the credentials. */
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

async function customers(): Promise<number> {
  return (await client.get('/customers')).body.totalCount
}

describe('a request body', () => {
  test('has a limit per endpoint; one byte more is 413 that names it', async () => {
    const bytes = bodyBytesMaxOf(API.customer_create)
    const padded = (length: number) => JSON.stringify(customer).padEnd(length, ' ')
    const read = await send('POST', '/customers', { headers: JSON_TYPE, body: padded(bytes) })
    expect(read.status).toBe(201)
    const before = await customers()
    const large = { headers: JSON_TYPE, body: padded(bytes + 1) }
    const refused = await send('POST', '/customers', large)
    expectError(refused, { code: 'PAYLOAD_TOO_LARGE' })
    expect(refused.body.message).toContain(String(bytes))
    expect(refused.body.details).toEqual({ bodyBytesMax: bytes })
    expect(await customers()).toBe(before)
  })

  test('without a stated length is stopped at the limit too', async () => {
    const piece = new Uint8Array(64 * 1024).fill(0x20)
    const body = Array(20).fill(piece)
    const { port, pathname } = new URL(`${client.baseUrl}/customers`)
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(head(`POST ${pathname} HTTP/1.1`, { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' }))
    for (const chunk of body)
      socket.write(Buffer.concat([Buffer.from('10000\r\n'), chunk, Buffer.from('\r\n')]))
    socket.write('0\r\n\r\n')
    expectRaw(await answerOf(socket), 'PAYLOAD_TOO_LARGE')
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
  ])('of the type %s is 415, for every endpoint that takes a body', async (type) => {
    const endpoints = ENDPOINTS.filter(([, { body, upload }]) => body && !upload)
    await forEach(endpoints, async ([name, endpoint]) => {
      const reply = await send(endpoint.method, pathToNothing(endpoint), {
        headers: { 'Content-Type': type, ...authorizationFor(endpoint) },
        body: '{}',
      })
      expectError(reply, { code: 'UNSUPPORTED_MEDIA_TYPE', what: name })
    })
  })

  test('without a type is 415', async () => {
    const reply = await send('POST', '/customers', {
      body: new TextEncoder().encode(JSON.stringify(customer)),
    })
    expectError(reply, { code: 'UNSUPPORTED_MEDIA_TYPE' })
  })

  test.each(['application/json;charset=utf-8', 'Application/JSON', 'application/json; charset="UTF-8"'])(
    'of the type %s is JSON',
    async (type) => {
      const reply = await send('POST', '/customers', {
        headers: { 'Content-Type': type },
        body: JSON.stringify(customer),
      })
      expect(reply.status).toBe(201)
    },
  )

  test.each(['utf-16', 'UTF-16LE', '"iso-8859-1"', 'x'])('with the charset %s is 415', async (charset) => {
    const reply = await send('POST', '/customers', {
      headers: { 'Content-Type': `application/json; charset=${charset}` },
      body: JSON.stringify(customer),
    })
    expectError(reply, { code: 'UNSUPPORTED_MEDIA_TYPE' })
    expect(reply.body.message).toContain('utf-8')
  })

  test.each(['gzip', 'br', 'deflate', 'x', 'identity, gzip'])('encoded with %s is 415', async (encoding) => {
    const body = gzipSync(JSON.stringify(customer))
    const reply = await send('POST', '/customers', {
      headers: { ...JSON_TYPE, 'Content-Encoding': encoding },
      body,
    })
    expectError(reply, { code: 'UNSUPPORTED_MEDIA_TYPE' })
  })

  test.each([
    ['ff', [0xff]],
    ['an overlong NUL', [0xc0, 0x80]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a cut character', [0xe2, 0x82]],
    ['Latin-1', [0xe9]],
  ])('that is not UTF-8 (%s) is 400', async (_, bytes) => {
    const [before, after] = ['{"customerType":"INDIVIDUAL","fullName":"a', '"}'].map((text) =>
      Buffer.from(text),
    )
    const body = Buffer.concat([before!, Buffer.from(bytes), after!])
    expectError(await send('POST', '/customers', { headers: JSON_TYPE, body }), {
      code: 'INVALID_INPUT',
      field: 'body',
    })
  })

  test.each(['utf16le', 'utf-16be with a mark'])('in %s is 400', async (encoding) => {
    const text = Buffer.from(`\ufeff${JSON.stringify(customer)}`, 'utf16le')
    const body = encoding === 'utf16le' ? text : text.swap16()
    expectError(await send('POST', '/customers', { headers: JSON_TYPE, body }), {
      code: 'INVALID_INPUT',
      field: 'body',
    })
  })

  test('that is missing is 400, for every endpoint that needs one', async () => {
    const endpoints = ENDPOINTS.filter(
      ([, { body, bodyOptional, upload }]) => body && !bodyOptional && !upload,
    )
    await forEach(endpoints, async ([name, endpoint]) => {
      const path = pathToNothing(endpoint)
      const headers = authorizationFor(endpoint)
      const typed = { ...JSON_TYPE, ...headers }
      for (const init of [{ headers }, { headers: typed }, { headers: typed, body: '' }])
        expectError(await send(endpoint.method, path, init), {
          code: 'INVALID_INPUT',
          field: 'body',
          what: name,
        })
    })
  })

  test('has a limited number of fields, however short', async () => {
    const body = (members: number) => `{"supportedCurrencies":[${'1,'.repeat(members)}1]}`
    const reply = await send('PATCH', '/config', { headers: JSON_TYPE, body: body(6_000) })
    expectError(reply, { code: 'INVALID_INPUT', field: 'body' })
    expect(reply.body.message).toBe('The body has too many properties and array items (5000 at most).')
  })

  test('is not checked for an unauthenticated caller: 401 comes first', async () => {
    const headers = { ...JSON_TYPE, Authorization: 'Basic eDp5' }
    expectError(await send('POST', '/customers', { headers, body: '{' }), { code: 'UNAUTHORIZED' })
  })
})

describe('an address', () => {
  test.each([
    '/nothing',
    '/customers/',
    '/CUSTOMERS',
    '//customers',
    '/customers/a/b/c',
    '/.',
    '/%2e%2e/customers',
    '/',
  ])('%s is unknown: 404 whatever the method and the body', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expectError(await send(method, path, method === 'POST' ? { body: 'x' } : {}), {
        code: 'NOT_FOUND',
        what: method,
      })
  })

  test('outside of the base address is unknown', async () => {
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
    '%s cannot be read or leads nowhere: a coded 4xx',
    async (path) => {
      const reply = await send('GET', path)
      expect([400, 404]).toContain(reply.status)
      expectError(reply, { code: reply.body.code })
    },
  )

  test('may have unnecessary escapes: records, signatures and keys are the same', async () => {
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

  test('or a query of many thousands of characters is a coded 4xx or harmless', async () => {
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

describe('every path', () => {
  const byPath = new Map<string, (typeof ENDPOINTS)[number][]>()
  for (const entry of ENDPOINTS) byPath.set(entry[1].path, [...(byPath.get(entry[1].path) ?? []), entry])

  test.each([...byPath])('%s returns 405 for other methods, and names the allowed ones', async (_, all) => {
    const taken = all.map(([, { method }]) => method as string)
    if (taken.includes('GET')) taken.push('HEAD')
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'REPORT', 'PURGE']
    for (const method of methods.filter((one) => !taken.includes(one))) {
      const body = method === 'POST' || method === 'PUT' ? { body: 'text' } : {}
      const reply = await send(method, pathToNothing(all[0]![1]), body)
      expectError(reply, { code: 'METHOD_NOT_ALLOWED', what: method })
      expect(reply.headers.get('allow')!.split(', ').sort()).toEqual([...taken].sort())
    }
  })

  test('treats HEAD as GET without the body, and returns 405 without a GET', async () => {
    await forEach([...byPath], async ([path, all]) => {
      const get = all.find(([, { method }]) => method === 'GET')
      const address = pathToNothing(all[0]![1])
      const headOnly = await send('HEAD', address)
      expect(headOnly.body, path).toBeUndefined()
      // A stream does not end.
      const wanted = path === '/events/stream' ? 200 : get ? (await send('GET', address)).status : 405
      expect(headOnly.status, path).toBe(wanted)
    })
  })
})

test('no response may be cached, errors included', { tags: 'smoke' }, async () => {
  for (const path of ['/config', '/customers/Customer:none', '/customers?limit=0'])
    expect((await client.get(path)).headers.get('cache-control'), path).toBe('no-store')
})

describe('what is not HTTP', () => {
  test.each([
    ['garbage', '\u0000\u0001\u0002 garbage\r\n\r\n'],
    ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
    ['an unknown method', 'FETCH /2025-10-13/config HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an unknown version', 'GET /2025-10-13/config HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['a header without a name', 'GET /2025-10-13/config HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n'],
    ['a header with a NUL', 'GET /2025-10-13/config HTTP/1.1\r\nHost: a\r\nX: \u0000\r\n\r\n'],
    [
      'a length that is no number',
      'POST /2025-10-13/customers HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n',
    ],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['headers without end', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`],
  ])('%s: 400 with the error body, and the server keeps running', async (_, text) => {
    const socket = connect(Number(new URL(client.baseUrl).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(Buffer.from(text, 'latin1'))
    expectRaw(await answerOf(socket), 'INVALID_INPUT')
    expect((await client.get('/config')).status).toBe(200)
  })

  test('a connection that ends in the middle of a request leaves nothing behind', async () => {
    const before = await customers()
    const { port, pathname } = new URL(`${client.baseUrl}/customers`)
    const starts = [
      'GET',
      `POST ${pathname} HTTP/1.1\r\n`,
      head(`POST ${pathname} HTTP/1.1`, { 'Content-Length': '100' }),
    ]
    for (const start of [...starts, `${starts[2]}{"customerType":"INDIVIDUAL"`]) {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => {})
      await once(socket, 'connect')
      await new Promise<void>((resolve) => socket.write(start, () => resolve()))
      socket.destroy()
    }
    expect(await customers()).toBe(before)
  })
})

function head(line: string, headers: Record<string, string>): string {
  const all = { Host: 'a', Authorization: client.authorization, ...JSON_TYPE, ...headers }
  return `${line}\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`
}

/** All that comes back on a socket until the other side closes it. */
async function answerOf(socket: ReturnType<typeof connect>): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    // A server that keeps the connection open is told that nothing more comes.
    socket.end()
  })
  await once(socket, 'close')
  return Buffer.concat(chunks).toString()
}

function expectRaw(answer: string, code: ErrorCode): void {
  const [headers, body] = answer.split('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(headers ?? '')?.[1])
  expect(headers?.toLowerCase(), answer).toContain('content-type: application/json')
  expect(parseJson(body!), answer).toMatchObject({ status, code, message: expect.any(String) })
}
