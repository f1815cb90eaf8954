import type { lookup } from 'node:dns'
import { EventEmitter, once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { listen } from '../../../../test/ports.testing.ts'
import { createPublicLookup } from './addresses.ts'
import { NoResponse } from './answer.ts'
import { Connections } from './connections.ts'
import { type Bounds, send, sendForStream } from './send.ts'

const BODY = Buffer.from('{}')
const KIB_64 = 64 * 1024

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  const port = await listen(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return port
}

const anywhere = { bytesMax: KIB_64, reach: 'any' } as const
const publicOnly = { bytesMax: KIB_64, reach: 'public' } as const

const post = (url: string, bounds: Omit<Bounds, 'timeoutMs'>, timeoutMs = timeLimit(5000)) =>
  send({ method: 'POST', url, body: BODY }, { ...bounds, timeoutMs })

test('a response of any length is read only up to the limit of 64 KiB', async () => {
  for (const [length, isComplete] of [
    [0, true],
    [KIB_64, true],
    [KIB_64 + 1, false],
    [Number.POSITIVE_INFINITY, false],
  ] as const) {
    const port = await serve((_, response) => {
      response.writeHead(200)
      if (length !== Number.POSITIVE_INFINITY) return response.end('x'.repeat(length))
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(KIB_64)));
      }
      response.on('drain', more)
      more()
    })
    const answer = await post(`http://127.0.0.1:${port}/`, anywhere)
    expect(answer).toMatchObject({ status: 200, isComplete })
    expect(answer.body.length).toBe(Math.min(length, KIB_64))
  }
})

test('a request to a server that is too slow at any point fails without a response', async () => {
  const silent = await serve(() => {})
  const slow = await serve((_, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('x'), 20)
    response.on('close', () => clearInterval(timer))
  })
  for (const port of [silent, slow]) {
    const answer = post(`http://127.0.0.1:${port}/`, anywhere, 200)
    await expect(answer).rejects.toMatchObject({ code: 'TIMEOUT' })
  }
  const neverResolved = { ...publicOnly, connections: new Connections({ lookup: () => {} }) }
  await expect(post('http://example.com/', neverResolved, 50)).rejects.toMatchObject({ code: 'TIMEOUT' })
})

test('a request whose connection breaks before or within the response fails without a response', async () => {
  const before = await serve((request) => request.socket.destroy())
  const within = await serve((request, response) => {
    response.writeHead(200, { 'Content-Length': 10 })
    response.write('x', () => request.socket.destroy())
  })
  for (const port of [before, within])
    await expect(post(`http://127.0.0.1:${port}/`, anywhere)).rejects.toMatchObject({
      code: 'ECONNRESET',
    })
})

test('credentials in a URL are sent as basic authentication', async () => {
  let header: string | undefined
  const port = await serve((request, response) => {
    header = request.headers.authorization
    response.end()
  })
  await post(`http://user:p%40ss@127.0.0.1:${port}/`, anywhere)
  expect(header).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`)
})

test('a redirect is returned as a response and not followed', async () => {
  let calls = 0
  const port = await serve((_, response) => {
    calls++
    response.writeHead(307, { Location: '/' }).end()
  })
  expect(await post(`http://127.0.0.1:${port}/`, anywhere)).toMatchObject({ status: 307 })
  expect(calls).toBe(1)
})

test('a host that is an IP address in any notation is checked without a DNS lookup', async () => {
  let calls = 0
  const port = await serve((_, response) => {
    calls++
    response.end()
  })
  const hosts = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0',
    '0.0.0.0',
    '[::]',
    '[::ffff:7f00:1]',
    '169.254.169.254',
    '[fe80::1]',
  ]
  for (const host of hosts)
    await expect(post(`http://${host}:${port}/`, publicOnly), host).rejects.toMatchObject({
      code: 'ADDRESS_REFUSED',
    })
  expect(calls).toBe(0)
})

test('a host name is checked when the connection opens, so DNS rebinding reaches no private address', async () => {
  let calls = 0
  const port = await serve((_, response) => {
    calls++
    response.end()
  })
  const lookups: string[] = []
  /** Resolves to a public address at first, and to this machine afterwards. */
  const rebinding: typeof lookup = ((
    host: string,
    _options: unknown,
    callback: (...all: unknown[]) => void,
  ) => {
    lookups.push(host)
    const address = lookups.length === 1 ? '8.8.8.8' : '127.0.0.1'
    callback(null, [{ address, family: 4 }])
  }) as typeof lookup
  const guarded = createPublicLookup(rebinding)
  // An earlier check has accepted the name.
  await new Promise((resolve) => guarded('rebinding.example', {}, (error) => resolve(error)))
  for (const host of ['rebinding.example', 'localhost'])
    await expect(
      post(`http://${host}:${port}/`, { ...publicOnly, connections: new Connections({ lookup: guarded }) }),
    ).rejects.toMatchObject({
      code: 'ADDRESS_REFUSED',
    })
  // The system's own lookup must behave the same.
  await expect(post(`http://localhost:${port}/`, publicOnly)).rejects.toMatchObject({
    code: 'ADDRESS_REFUSED',
  })
  expect(calls).toBe(0)
})

test('a compressed response is decompressed, and the limit counts its decompressed bytes', async () => {
  const port = await serve((request, response) => {
    const text = 'x'.repeat(request.url === '/long' ? 50 * KIB_64 : 10)
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(text))
  })
  const whole = await post(`http://127.0.0.1:${port}/`, anywhere)
  expect([Buffer.from(whole.body).toString(), whole.isComplete]).toEqual(['x'.repeat(10), true])
  const cut = await post(`http://127.0.0.1:${port}/long`, anywhere)
  expect([cut.body.length, cut.isComplete]).toEqual([KIB_64, false])
})

test.each([
  'file:///etc/passwd',
  'ftp://example.com/',
  'data:,x',
  'example.com',
  'http://%zz@example.com/',
  '',
])('a URL that is not http or https, or has undecodable credentials, is not called: %s', async (url) => {
  await expect(post(url, anywhere)).rejects.toMatchObject({ code: 'INVALID_URL' })
})

const streamed = (
  url: string,
  bytes: number,
  signal = AbortSignal.timeout(timeLimit(5000)),
  idleMsMax = timeLimit(5000),
) =>
  sendForStream(
    { method: 'PUT', url, body: { stream: Readable.from([Buffer.alloc(bytes, 1)]), bytes } },
    { signal, reach: 'any', idleMsMax },
  )

test('a streamed body is sent with its length, and the response is read as it arrives', async () => {
  const port = await serve((request, response) => {
    response.writeHead(200, { 'X-Length': request.headers['content-length'] })
    request.pipe(response)
  })
  const { status, body } = await streamed(`http://127.0.0.1:${port}/`, 3_000_000)
  expect(status).toBe(200)
  expect((await buffer(body)).equals(Buffer.alloc(3_000_000, 1))).toBe(true)
})

test('a streamed response may take long in total, but each pause is limited', async () => {
  const port = await serve((_, response) => {
    response.write('x')
  })
  const aborter = new AbortController()
  const { body } = await streamed(`http://127.0.0.1:${port}/`, 10, aborter.signal, 100)
  aborter.abort()
  await expect(buffer(body)).rejects.toThrow(new NoResponse('TIMEOUT'))
})

test('destroying an unread streamed response closes its connection', async () => {
  let closed: Promise<unknown> | undefined
  const port = await serve((request, response) => {
    closed = once(request.socket, 'close')
    response.write('x')
  })
  const { body } = await streamed(`http://127.0.0.1:${port}/`, 10)
  body.destroy()
  await closed
})

test('a streamed request without a response is aborted by its signal', async () => {
  const port = await serve(() => {})
  const request = streamed(`http://127.0.0.1:${port}/`, 10, AbortSignal.timeout(100))
  await expect(request).rejects.toThrow(new NoResponse('TIMEOUT'))
})

test('a request without any time left fails and is not sent, and counts as sent, because an earlier attempt may have been', async () => {
  let calls = 0
  const port = await serve(() => {
    calls++
  })
  const request = post(`http://127.0.0.1:${port}/`, { ...anywhere, isRepeatable: true }, 0)
  await expect(request).rejects.toMatchObject({ code: 'TIMEOUT', isUnsent: false })
  expect(calls).toBe(0)
})

test('a request that times out waiting for a connection counts as unsent, unlike one without a response', async () => {
  const arrivals = new EventEmitter()
  let calls = 0
  const port = await serve(() => {
    calls++
    arrivals.emit('request')
  })
  const received = once(arrivals, 'request')
  const shared = { ...anywhere, isRepeatable: true, connectionsMax: 1, connections: new Connections() }
  const failing = (ms: number) =>
    post(`http://127.0.0.1:${port}/`, shared, ms).catch((error: unknown) => error)
  const first = failing(timeLimit(500))
  await received
  expect(await failing(100)).toMatchObject({ code: 'TIMEOUT', isUnsent: true })
  expect(await first).toMatchObject({ code: 'TIMEOUT', isUnsent: false })
  expect(calls).toBe(1)
})

test('a request that gets a connection only as it times out counts as unsent', async () => {
  const arrivals = new EventEmitter()
  const port = await serve(() => arrivals.emit('request'))
  const received = once(arrivals, 'request')
  const shared = { ...anywhere, isRepeatable: true, connectionsMax: 1, connections: new Connections() }
  const failing = (timeoutMs: number) =>
    post(`http://127.0.0.1:${port}/`, shared, timeoutMs).catch((error: unknown) => error)
  // The second one starts later, and would otherwise be sent in the moment between the two limits.
  const both = [failing(timeLimit(500)), failing(timeLimit(500) - 5)]
  await received
  expect(await Promise.all(both)).toMatchObject([{ isUnsent: false }, { isUnsent: true }])
})

test('a request does not count as unsent if the host refused the connection', async () => {
  const refused = post('http://127.0.0.1:1/', { ...anywhere, isRepeatable: true })
  await expect(refused).rejects.toMatchObject({ code: 'ECONNREFUSED', isUnsent: false })
})
