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

let own: TestServer
let client: Client
let agent: AgentClient
beforeAll(async () => {
  const settings = {
    PUBLIC_URL: 'https://pay.example.com',
    COUNTERSIGN_CONNECTIONS_MAX: String(CONNECTIONS_MAX),
  }
  own = await openServer({ LOG_LEVEL: 'debug', ...settings }, { requestMsMax: REQUEST_MS_MAX })
  client = await own.newPlatform()
  agent = await newAgent(client, (await newCustomer(client)).id)
})
afterAll(() => own.close())

const portOf = () => Number(new URL(own.origin).port)

/** The head of a request whose body is announced, and is for the test to send. */
function head(path: string, authorization: string, length: number | 'chunked', method = 'POST'): string {
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

function open(): Socket {
  const socket = connect(portOf(), '127.0.0.1')
  socket.on('error', () => {})
  return socket
}

function parsed(answer: string): {
  status: number
  headers: string
  body: { code?: string; reason?: string }
} {
  const [headers = '', body = ''] = answer.split('\r\n\r\n')
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(headers)?.[1]),
    headers,
    body: JSON.parse(body || '{}'),
  }
}

describe('a body is neither awaited nor read', () => {
  test.each([MEBIBYTE, 'chunked'] as const)('of an unauthenticated caller (%s)', async (length) => {
    for (const authorization of ['Basic eDp5', 'Bearer nobody', '']) {
      const { status, headers, body } = parsed(await own.raw(head('/customers', authorization, length)))
      expect(status).toBe(401)
      expect(body.code).toBe('UNAUTHORIZED')
      expect(headers).toMatch(/^connection: close$/im)
    }
    const { status } = parsed(await own.raw(head('/agents/me/quotes', 'Bearer nobody', length)))
    expect(status).toBe(401)
  })

  test('of a device code that does not exist', async () => {
    const { status, body } = parsed(
      await own.raw(head('/agents/device-codes/ABC-DEF-GHJ/redeem', '', MEBIBYTE)),
    )
    expect(status).toBe(404)
    expect(body.code).toBe('DEVICE_CODE_NOT_FOUND')
  })

  test('of a token without the permission', async () => {
    const { body } = await client.post('/tokens', { name: 'Reader', permissions: ['VIEW'] })
    const login = Buffer.from(`${body.id}:${body.clientSecret}`).toString('base64')
    expect(parsed(await own.raw(head('/customers', `Basic ${login}`, MEBIBYTE))).status).toBe(403)
  })

  test('of a paused agent', async () => {
    await client.send('PATCH', `/agents/${agent.id}`, { isPaused: true })
    for (const path of ['/agents/me/quotes', '/agents/me/transfer-out', '/agents/me/external-accounts']) {
      const { status, body } = parsed(await own.raw(head(path, agent.authorization, MEBIBYTE)))
      expect(status).toBe(403)
      expect(body).toMatchObject({ code: 'FORBIDDEN', details: { rule: 'paused' } })
    }
  })

  test('of any caller that announces more than the endpoint accepts', async () => {
    const { status, headers, body } = parsed(await own.raw(head('/tokens', client.authorization, 8_193)))
    expect(status).toBe(413)
    expect(body).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', details: { bodyBytesMax: 8_192 } })
    expect(headers).toMatch(/^connection: close$/im)
  })
})

test('a small unneeded body leaves the connection open', async () => {
  const socket = open()
  const answers = text(socket)
  const bad = `${head('/customers', 'Basic eDp5', 2)}{}`
  const good = `GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
  socket.write(bad + good)
  expect(await answers).toMatch(/^HTTP\/1\.1 401 [\s\S]*HTTP\/1\.1 200 /)
})

test('a late body is refused if its token was deleted in the meantime', async () => {
  const { body } = await client.post('/tokens', { name: 'Short-lived', permissions: ['MANAGE'] })
  const login = Buffer.from(`${body.id}:${body.clientSecret}`).toString('base64')
  const socket = open()
  const answer = text(socket)
  const content = JSON.stringify({ customerType: 'INDIVIDUAL', fullName: 'Late' })
  const request = head('/customers', `Basic ${login}`, content.length).replace(
    '\r\n',
    '\r\nConnection: close\r\n',
  )
  socket.write(request + content.slice(0, 1))
  await once(socket, 'connect')
  expect((await client.send('DELETE', `/tokens/${body.id}`)).status).toBe(204)
  socket.write(content.slice(1))
  expect(parsed(await answer)).toMatchObject({ status: 401, body: { reason: 'Invalid credentials' } })
  expect(
    (await client.get('/customers')).body.data.map(({ fullName }: { fullName: string }) => fullName),
  ).not.toContain('Late')
})

test('a request ends at its timeout, whatever part of it is slow: 408', async () => {
  const startStream = performance.now()
  const slow = [
    '',
    'POST /2025-10-13/cust',
    head('/customers', client.authorization, 100),
    `${head('/customers', client.authorization, 100)}{"full`,
  ]
  for (const answer of await Promise.all(slow.map((start) => own.raw(start)))) {
    const { status, headers, body } = parsed(answer)
    expect(status).toBe(408)
    expect(body).toMatchObject({ status: 408, code: 'REQUEST_TIMEOUT' })
    expect(headers).toMatch(/^x-content-type-options: nosniff$/im)
  }
  // Twice the time is what a check that just missed it may take; the rest is for a busy machine.
  expect(performance.now() - startStream).toBeLessThan(5 * REQUEST_MS_MAX)
})

test('every response tells browsers not to sniff types, not to send referrers, and to stay with https', async () => {
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
    const headers = (await own.raw(request)).split('\r\n\r\n')[0]!
    expect(headers, request).toMatch(/^x-content-type-options: nosniff$/im)
    expect(headers, request).toMatch(/^referrer-policy: no-referrer$/im)
    expect(headers, request).toMatch(/^strict-transport-security: max-age=\d{8,}$/im)
  }
})

test('the number of connections is limited', async () => {
  // Its connection stays open for some seconds, and is one of those that were there before.
  expect((await client.get('/config')).status).toBe(200)
  const sockets = Array.from({ length: CONNECTIONS_MAX + 20 }, open)
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  const failures: string[] = []
  for (const socket of sockets)
    socket.on('error', (error: NodeJS.ErrnoException) => failures.push(error.code ?? error.message))
  const ended = sockets.map(async (socket) => {
    socket.resume()
    await once(socket, 'close')
  })
  // Twenty at least are closed, and what was open before is served.
  let closed = 0
  await new Promise<void>((resolve) => {
    for (const end of ended) void end.then(() => ++closed === 20 && resolve())
  })
  expect((await client.get('/config')).status).toBe(200)
  const lines = own.log().filter(({ msg }) => msg === 'refused connections beyond the limit')
  expect(lines, `failed: ${failures}`).toHaveLength(1)
  for (const socket of sockets) socket.destroy()
  await Promise.all(ended)
})
