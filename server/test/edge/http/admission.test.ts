import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { type Client, newCustomer } from '../../worlds/client.testing.ts'
import { type AgentClient, newAgent } from '../../worlds/records/agents.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

const REQUEST_MS_MAX = timeLimit(2_000)
const CONNECTIONS_MAX = 60
const MEBIBYTE = 1024 * 1024

let server: TestServer
let client: Client
let agent: AgentClient
beforeAll(async () => {
  const settings = {
    PUBLIC_URL: 'https://pay.example.com',
    COUNTERSIGN_CONNECTIONS_MAX: String(CONNECTIONS_MAX),
  }
  server = await openServer({ LOG_LEVEL: 'debug', ...settings }, { requestMsMax: REQUEST_MS_MAX })
  client = await server.newPlatform()
  agent = await newAgent(client, (await newCustomer(client)).id)
})
afterAll(() => server.close())

const readPort = () => Number(new URL(server.origin).port)

/** The head of a request whose body the test sends separately. */
function buildHead(path: string, authorization: string, length: number | 'chunked', method = 'POST'): string {
  const size = length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`
  return [
    `${method} /2025-10-13${path} HTTP/1.1`,
    'Host: a',
    `Authorization: ${authorization}`,
    'Content-Type: application/json',
    size,
    '\r\n',
  ].join('\r\n')
}

function openSocket(): Socket {
  const socket = connect(readPort(), '127.0.0.1')
  socket.on('error', () => {})
  return socket
}

function parseResponse(response: string): {
  status: number
  headers: string
  body: { code?: string; reason?: string }
} {
  const [headers = '', body = ''] = response.split('\r\n\r\n')
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(headers)?.[1]),
    headers,
    body: JSON.parse(body || '{}'),
  }
}

describe('the server neither awaits nor reads the body', () => {
  test.each([MEBIBYTE, 'chunked'] as const)(
    'of a request from an unauthenticated caller (%s)',
    async (length) => {
      for (const authorization of ['Basic eDp5', 'Bearer nobody', '']) {
        const { status, headers, body } = parseResponse(
          await server.raw(buildHead('/customers', authorization, length)),
        )
        expect(status).toBe(401)
        expect(body.code).toBe('UNAUTHORIZED')
        expect(headers).toMatch(/^connection: close$/im)
      }
      const { status } = parseResponse(
        await server.raw(buildHead('/agents/me/quotes', 'Bearer nobody', length)),
      )
      expect(status).toBe(401)
    },
  )

  test('of a request with an unknown device code', async () => {
    const { status, body } = parseResponse(
      await server.raw(buildHead('/agents/device-codes/ABC-DEF-GHJ/redeem', '', MEBIBYTE)),
    )
    expect(status).toBe(404)
    expect(body.code).toBe('DEVICE_CODE_NOT_FOUND')
  })

  test('of a request whose token lacks the permission', async () => {
    const { body } = await client.post('/tokens', { name: 'Reader', permissions: ['VIEW'] })
    const login = Buffer.from(`${body.id}:${body.clientSecret}`).toString('base64')
    expect(parseResponse(await server.raw(buildHead('/customers', `Basic ${login}`, MEBIBYTE))).status).toBe(
      403,
    )
  })

  test('of a request from a paused agent', async () => {
    await client.send('PATCH', `/agents/${agent.id}`, { isPaused: true })
    for (const path of ['/agents/me/quotes', '/agents/me/transfer-out', '/agents/me/external-accounts']) {
      const { status, body } = parseResponse(await server.raw(buildHead(path, agent.authorization, MEBIBYTE)))
      expect(status).toBe(403)
      expect(body).toMatchObject({ code: 'FORBIDDEN', details: { rule: 'paused' } })
    }
  })

  test('of a request that announces more bytes than the endpoint accepts', async () => {
    const { status, headers, body } = parseResponse(
      await server.raw(buildHead('/tokens', client.authorization, 8_193)),
    )
    expect(status).toBe(413)
    expect(body).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', details: { bodyBytesMax: 8_192 } })
    expect(headers).toMatch(/^connection: close$/im)
  })
})

test('a small unneeded body leaves the connection open', async () => {
  const socket = openSocket()
  const responses = text(socket)
  const bad = `${buildHead('/customers', 'Basic eDp5', 2)}{}`
  const good = `GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
  socket.write(bad + good)
  expect(await responses).toMatch(/^HTTP\/1\.1 401 [\s\S]*HTTP\/1\.1 200 /)
})

test('a late body is refused if its token was deleted in the meantime', async () => {
  const { body } = await client.post('/tokens', { name: 'Short-lived', permissions: ['MANAGE'] })
  const login = Buffer.from(`${body.id}:${body.clientSecret}`).toString('base64')
  const socket = openSocket()
  const response = text(socket)
  const content = JSON.stringify({ customerType: 'INDIVIDUAL', fullName: 'Late' })
  const request = buildHead('/customers', `Basic ${login}`, content.length).replace(
    '\r\n',
    '\r\nConnection: close\r\n',
  )
  socket.write(request + content.slice(0, 1))
  await once(socket, 'connect')
  expect((await client.send('DELETE', `/tokens/${body.id}`)).status).toBe(204)
  socket.write(content.slice(1))
  expect(parseResponse(await response)).toMatchObject({
    status: 401,
    body: { reason: 'Invalid credentials' },
  })
  expect(
    (await client.get('/customers')).body.data.map(({ fullName }: { fullName: string }) => fullName),
  ).not.toContain('Late')
})

test('a request that is slow in any part ends with 408 at its timeout', async () => {
  const startMs = performance.now()
  const partialRequests = [
    '',
    'POST /2025-10-13/cust',
    buildHead('/customers', client.authorization, 100),
    `${buildHead('/customers', client.authorization, 100)}{"full`,
  ]
  for (const response of await Promise.all(
    partialRequests.map((partialRequest) => server.raw(partialRequest)),
  )) {
    const { status, headers, body } = parseResponse(response)
    expect(status).toBe(408)
    expect(body).toMatchObject({ status: 408, code: 'REQUEST_TIMEOUT' })
    expect(headers).toMatch(/^x-content-type-options: nosniff$/im)
  }
  // A check that just missed the timeout needs twice the time; the rest allows for a busy machine.
  expect(performance.now() - startMs).toBeLessThan(5 * REQUEST_MS_MAX)
})

test('every response tells browsers not to sniff types, not to send referrers, and to use only https', async () => {
  const paths = [
    '/2025-10-13/config',
    '/2025-10-13/nothing',
    '/healthz',
    '/docs',
    '/metrics',
    '/%ff',
    '/2025-10-13/customers/%',
  ]
  const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  for (const request of [
    ...requests,
    'what is this\r\n\r\n',
    'PUT /2025-10-13/config HTTP/1.1\r\nConnection: close\r\n\r\n',
  ]) {
    const headers = (await server.raw(request)).split('\r\n\r\n')[0]!
    expect(headers, request).toMatch(/^x-content-type-options: nosniff$/im)
    expect(headers, request).toMatch(/^referrer-policy: no-referrer$/im)
    expect(headers, request).toMatch(/^strict-transport-security: max-age=\d{8,}$/im)
  }
})

test('connections beyond the limit are closed, and earlier ones are still served', async () => {
  // This connection stays open for some seconds, so it is older than the others.
  expect((await client.get('/config')).status).toBe(200)
  const sockets = Array.from({ length: CONNECTIONS_MAX + 20 }, openSocket)
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  const failures: string[] = []
  for (const socket of sockets)
    socket.on('error', (error: NodeJS.ErrnoException) => failures.push(error.code ?? error.message))
  const closings = sockets.map(async (socket) => {
    socket.resume()
    await once(socket, 'close')
  })
  // At least twenty connections are closed, and the earlier one is still served.
  let closedCount = 0
  await new Promise<void>((resolve) => {
    for (const closing of closings) void closing.then(() => ++closedCount === 20 && resolve())
  })
  expect((await client.get('/config')).status).toBe(200)
  const lines = server.log().filter(({ msg }) => msg === 'refused connections beyond the limit')
  expect(lines, `failed: ${failures}`).toHaveLength(1)
  for (const socket of sockets) socket.destroy()
  await Promise.all(closings)
})
