import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { Connections } from './connections.ts'
import { CERT, KEY } from './localhost-certificate.testing.ts'
import { send } from './send.ts'

/** Starts a receiver that offers HTTP/2, and returns how it was called. */
async function serve(configure: (server: Http2SecureServer) => void) {
  const server = createSecureServer({ cert: CERT, key: KEY, allowHTTP1: true })
  const sessions: ServerHttp2Session[] = []
  server.on('session', (session) => sessions.push(session))
  configure(server)
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  onTestFinished(() => {
    for (const session of sessions) session.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const connections = new Connections({ ca: CERT })
  const post = (body: string, bounds: { isRepeatable?: boolean; ms?: number } = {}) =>
    send(
      { method: 'POST', url: `https://localhost:${port}/hook`, body: Buffer.from(body) },
      {
        timeoutMs: bounds.ms ?? timeLimit(5000),
        bytesMax: 1024,
        reach: 'any',
        isRepeatable: bounds.isRepeatable ?? true,
        connections,
      },
    )
  return { sessions, post }
}

/** Responds with the protocol and the body of the request. */
function echo(server: Http2SecureServer): void {
  server.on('request', (request, response) => {
    response.writeHead(200, { 'Retry-After': '7' })
    response.write(`${request.httpVersion} `)
    request.pipe(response)
  })
}

test('HTTP/2 is used if the server offers it, and parallel requests share its connections', async () => {
  const { sessions, post } = await serve(echo)
  const responses = await Promise.all(Array.from({ length: 100 }, (_, n) => post(String(n))))
  expect(responses.map(({ body }) => Buffer.from(body).toString())).toEqual(
    Array.from({ length: 100 }, (_, n) => `2.0 ${n}`),
  )
  expect(responses[0]).toMatchObject({ status: 200, isComplete: true, retryAfter: '7' })
  expect(sessions.length).toBeLessThanOrEqual(32)
})

test('a connection over HTTP/2 carries many requests at the same time', async () => {
  const open: (() => void)[] = []
  const { sessions, post } = await serve((server) => {
    server.on('request', (request, response) => {
      if (request.headers['content-length'] === '1') response.end()
      else open.push(() => response.end())
      // Responds to none of them before all have arrived.
      if (open.length === 64) for (const respond of open) respond()
    })
  })
  expect(await post('1')).toMatchObject({ isMultiplexed: true })
  await Promise.all(Array.from({ length: 64 }, () => post('many')))
  expect(sessions.length).toBe(1)
})

test('requests of a connection that breaks are sent again on shared connections', async () => {
  const bodies: string[] = []
  const { sessions, post } = await serve((server) => {
    let calls = 0
    server.on('request', async (request, response) => {
      calls++
      if (calls === 65) request.stream.session?.destroy()
      else if (calls === 1 || calls > 65) {
        for await (const chunk of request) bodies.push(String(chunk))
        response.end()
      }
    })
  })
  await post('first')
  await Promise.all(Array.from({ length: 64 }, (_, n) => post(String(n))))
  expect(bodies.toSorted()).toEqual(['first', ...Array.from({ length: 64 }, (_, n) => String(n))].toSorted())
  expect(sessions.length).toBeLessThanOrEqual(1 + 32)
})

test('a new connection resumes the TLS session of an earlier one', async () => {
  const resumed: boolean[] = []
  const { post } = await serve((server) => {
    server.on('secureConnection', (socket) => resumed.push(socket.isSessionReused()))
    echo(server)
  })
  await post('a', { isRepeatable: false })
  await post('b', { isRepeatable: false })
  expect(resumed).toEqual([false, true])
})

test('a request over HTTP/2 that must not arrive twice is sent once, on its own connection', async () => {
  const { sessions, post } = await serve(echo)
  await post('a')
  expect(await post('b', { isRepeatable: false })).toMatchObject({ status: 200 })
  expect(sessions.length).toBe(2)
})

test('an HTTP/2 session that the server closes is replaced', async () => {
  const { sessions, post } = await serve(echo)
  await post('a')
  for (const session of sessions) session.destroy()
  expect(await post('b')).toMatchObject({ status: 200 })
  expect(sessions.length).toBe(2)
})

test('a request that gets no response on a reused HTTP/2 session is sent again on a new one', async () => {
  let calls = 0
  const { post } = await serve((server) => {
    server.on('request', (request, response) => {
      calls++
      if (calls === 2) request.stream.session?.destroy()
      else response.end('ok')
    })
  })
  await post('a')
  expect(await post('b')).toMatchObject({ status: 200 })
  expect(calls).toBe(3)
})

test('a hanging request over HTTP/2 is aborted by its time limit, and other requests continue', async () => {
  const { post } = await serve((server) => {
    let calls = 0
    server.on('request', (_request, response) => {
      calls++
      if (calls !== 1) response.end('ok')
    })
  })
  await expect(post('hangs', { ms: 200 })).rejects.toMatchObject({ code: 'TIMEOUT' })
  expect(await post('b')).toMatchObject({ status: 200 })
})
