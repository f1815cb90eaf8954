import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { createLog } from '../../../src/edge/observability/log.ts'
import { openOutput } from '../../../src/edge/observability/output.ts'
import { type Client, newCustomer } from '../../worlds/client.testing.ts'
import { openServer, type TestServer, valueIn } from '../../worlds/server.testing.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** A separate server, so that its metrics and log contain only the requests of this file. */
let server: TestServer
let client: Client
beforeAll(async () => {
  server = await openServer({ LOG_LEVEL: 'debug' })
  client = await server.newPlatform()
})
afterAll(() => server.close())

describe('the request id', () => {
  const requests: [
    label: string,
    method: string,
    path: string,
    status: number,
    headers?: Record<string, string>,
  ][] = [
    ['a success', 'GET', '/2025-10-13/config', 200],
    ['no credentials', 'GET', '/2025-10-13/config', 401, { Authorization: '' }],
    ['a missing record', 'GET', '/2025-10-13/customers/Customer:none', 404],
    ['an unknown path', 'GET', '/nowhere', 404],
    ['a malformed path', 'GET', '/2025-10-13/%zz', 404],
    ['a path that is too long', 'GET', `/2025-10-13/customers/${'a'.repeat(600)}`, 400],
    ['an unsupported method', 'PUT', '/2025-10-13/config', 405],
    ['a body that is too large', 'POST', '/2025-10-13/customers', 413, { 'Content-Length': '9000000' }],
    ['an unsupported content type', 'POST', '/2025-10-13/customers', 415, { 'Content-Type': 'text/plain' }],
    ['an encoded body', 'POST', '/2025-10-13/customers', 415, { 'Content-Encoding': 'gzip' }],
    ['a body that is not JSON', 'POST', '/2025-10-13/customers', 400],
    ['an Expect header', 'GET', '/2025-10-13/config', 200, { Expect: 'the-moon' }],
    ['the liveness probe', 'GET', '/healthz', 200],
    ['the readiness probe', 'GET', '/readyz', 200],
    ['the reference page', 'GET', '/docs', 200],
    ['the OpenAPI document', 'GET', '/2025-10-13/openapi.json', 200],
    ['the public keys', 'GET', '/.well-known/countersign.json', 200],
    ['the metrics', 'GET', '/metrics', 200],
  ]

  test.each(requests)(
    'is in the response and in the log line: %s',
    async (_, method, path, status, extraHeaders) => {
      const id = `Test.${status}_${randomBytes(8).toString('hex')}:1-a`
      const headers = {
        Host: 'a',
        Connection: 'close',
        Authorization: client.authorization,
        'Content-Type': 'application/json',
        'X-Request-Id': id,
        ...(method === 'POST' ? { 'Content-Length': '2' } : {}),
        ...extraHeaders,
      }
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      const response = await server.raw(
        `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${method === 'POST' ? '{]' : ''}`,
      )
      expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      const httpRequestId = /^x-request-id: (.*)\r$/im.exec(response)?.[1]
      expect(httpRequestId).toMatch(UUID_V7)
      expect(await server.lineOf(id)).toMatchObject({ method, status, httpRequestId, callerRequestId: id })
    },
  )

  test.each([
    ['text that is not HTTP', 'what is this\r\n\r\n'],
    ['a head that is too large', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`],
    ['no Host header', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ])('is created for a request that cannot be parsed: %s', async (_, request) => {
    const response = await server.raw(request)
    expect(response).toMatch(/^HTTP\/1.1 400 /)
    const id = /^x-request-id: (.*)\r$/im.exec(response)?.[1] ?? ''
    expect(id).toMatch(UUID_V7)
    await vi.waitFor(() => expect(server.logText()).toContain(id), timeLimit(30_000))
  })

  test('is new for each request, whatever the caller sends', async () => {
    const callerIds = [
      undefined,
      '',
      'own-1',
      'own-1',
      'x'.repeat(128),
      'a b',
      'a"b',
      "a'b",
      'a;b',
      '{"a":1}',
      'é',
      '../..',
      '%0a',
      'x'.repeat(129),
    ]
    const ids: string[] = []
    for (const id of callerIds) {
      const { headers } = await client.send('GET', '/config', undefined, id ? { 'X-Request-Id': id } : {})
      ids.push(headers.get('x-request-id') ?? '')
    }
    const twoIdsResponse = await server.raw(
      'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Request-Id: a\r\nX-Request-Id: b\r\n\r\n',
    )
    ids.push(/^x-request-id: (.*)\r$/im.exec(twoIdsResponse)?.[1] ?? '')
    for (const id of ids) expect(id).toMatch(UUID_V7)
    expect(new Set(ids).size).toBe(callerIds.length + 1)
  })
})

describe('the log', () => {
  test('has one line per request, with its route and its outcome', async () => {
    const { id } = await newCustomer(client)
    await client.send('PATCH', '/config', { lenientInput: true })
    const sendWithId = (httpRequestId: string, path: string) =>
      client.send('GET', path, undefined, { 'X-Request-Id': httpRequestId })
    await sendWithId('access-2', '/customers?limit=0')
    const reply = await sendWithId('access-1', `/customers/${id}?secretQuery=1`)
    const line = await server.lineOf('access-1')
    expect(Object.keys(line).sort()).toEqual([
      'callerRequestId',
      'durationMs',
      'hostname',
      'httpRequestId',
      'level',
      'method',
      'msg',
      'pid',
      'platformId',
      'route',
      'status',
      'time',
    ])
    const { platformId } = client.credentials
    expect(line.httpRequestId).toMatch(UUID_V7)
    expect(line).toMatchObject({
      httpRequestId: reply.headers.get('x-request-id'),
      callerRequestId: 'access-1',
      level: 30,
      route: '/2025-10-13/customers/{customerId}',
      durationMs: expect.any(Number),
      platformId,
    })
    expect(await server.lineOf('access-2')).toMatchObject({ platformId, code: 'INVALID_INPUT' })
    for (const name of ['httpRequestId', 'callerRequestId'])
      expect(server.log().filter((entry) => entry[name] === line[name])).toEqual([line])
  })

  test('shows if the client disconnected before the response', async () => {
    const authorization = `Authorization: ${client.authorization}\r\n`
    const head = `POST /2025-10-13/customers HTTP/1.1\r\nHost: a\r\n${authorization}Content-Length: 9\r\n`
    const socket = connect(Number(new URL(server.origin).port), '127.0.0.1')
    socket.on('error', () => {})
    await new Promise<void>((resolve) =>
      socket.write(`${head}Content-Type: application/json\r\nX-Request-Id: gone-1\r\n\r\n{`, () => resolve()),
    )
    socket.destroy()
    expect(await server.lineOf('gone-1')).toMatchObject({ aborted: true })
    const page = await server.metrics()
    expect(valueIn(page, 'countersign_http_request_duration_seconds_count', { status: 'aborted' })).toBe(1)
  })

  test('contains no request data', async () => {
    const secrets: string[] = []
    const createSecret = (shape = '') => {
      secrets.push(randomBytes(12).toString('hex'))
      return shape + secrets.at(-1)
    }
    secrets.push(client.credentials.clientSecret, client.authorization.slice('Basic '.length))
    const names = [
      'Svc-Wallet-Signature',
      'Request-Id',
      'Idempotency-Key',
      'Cookie',
      'X-Api-Key',
      'Proxy-Authorization',
      'User-Agent',
      'Referer',
      'Origin',
      'Traceparent',
      'X-Forwarded-For',
    ]
    const createHeaders = () => Object.fromEntries(names.map((name) => [name, createSecret()]))
    const bodies = [
      { email: createSecret('a@') },
      { code: createSecret() },
      createSecret(),
      { [createSecret()]: 1 },
    ]
    for (const path of [
      '/customers',
      '/quotes',
      '/auth/credentials',
      `/quotes/Quote:${createSecret()}/execute`,
      '/x',
    ])
      for (const body of bodies) {
        const reply = await client.send('POST', `${path}?token=${createSecret()}`, body, createHeaders())
        expect(reply.status).toBeGreaterThanOrEqual(400)
      }
    const buildBasicAuth = (text: string) => ({
      Authorization: `Basic ${Buffer.from(text).toString('base64')}`,
    })
    await client.send(
      'GET',
      '/config',
      undefined,
      buildBasicAuth(`${client.credentials.tokenId}:${createSecret()}`),
    )
    await client.send('GET', '/config', undefined, { Authorization: `Bearer ${createSecret()}` })
    await server.raw(`${createSecret()} / HTTP/1.1\r\nHost: ${createSecret()}\r\n\r\n`)
    await client.send('GET', '/config', undefined, { 'X-Request-Id': 'last-of-the-secrets' })
    await server.lineOf('last-of-the-secrets')
    const logText = server.logText()
    expect(secrets.filter((entry) => logText.includes(entry))).toEqual([])
  })

  test('shows the code and stack of an error, without stored data', async () => {
    const file = join(server.dataDir, 'errors')
    const cause = Object.assign(new Error('duplicate key'), {
      code: '23505',
      constraint: 'customers_email',
      detail: 'Key (email)=(eve@example.com) already exists.',
      where: 'INSERT … eve@example.com',
      parameters: ['eve@example.com'],
    })
    const errors = createLog('error', openOutput(file))
    errors.error({ err: new Error('not written', { cause }) }, 'a')
    errors.error({ err: cause }, 'b')
    errors.error({ err: 'a text' }, 'last')
    const lines = await vi.waitFor(() => {
      expect(readFileSync(file, 'utf8')).toContain('"last"')
      return readFileSync(file, 'utf8').trim().split('\n')
    }, timeLimit(30_000))
    expect(lines.filter((line) => line.includes('eve@example.com'))).toEqual([])
    const [wrapped, direct, plain] = lines.map((line) => JSON.parse(line).err)
    expect(wrapped).toMatchObject({
      message: 'not written: duplicate key',
      stack: expect.stringContaining('at '),
    })
    expect(direct).toMatchObject({ code: '23505', constraint: 'customers_email' })
    expect(plain).toBe('a text')
  })
})

// This test must be the last, because it closes the database.
test('without a database the log links faults to their requests, and the metrics keep working', async () => {
  await server.app.db.close()
  const reply = await client.send('GET', '/config', undefined, { 'X-Request-Id': 'fault-1' })
  expect(reply.status).toBe(503)
  expect(reply.headers.get('x-request-id')).toMatch(UUID_V7)
  const fault = await server.lineOf('fault-1', 'operation failed')
  const { message } = Object(fault.err)
  expect(fault).toMatchObject({ level: 50, endpoint: 'config_get', err: { message: expect.any(String) } })
  // The stack of an error is logged only once: on this line, or earlier by background work.
  expect(server.log()).toContainEqual(
    expect.objectContaining({
      err: expect.objectContaining({ message, stack: expect.stringContaining('at ') }),
    }),
  )
  expect(await server.lineOf('fault-1')).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
  const ready = await fetch(`${server.origin}/readyz`, { headers: { 'X-Request-Id': 'ready-1' } })
  expect(ready.status).toBe(503)
  expect(await server.lineOf('ready-1', 'database unreachable')).toMatchObject({ level: 50 })
  const page = await server.metrics()
  expect(valueIn(page, 'countersign_database_up')).toBe(0)
  expect(valueIn(page, 'countersign_due_work_lag_seconds')).toBeUndefined()
  expect(valueIn(page, 'countersign_http_errors_total', { code: 'UNAVAILABLE' })).toBe(2)
})
