import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { LookupFunction, Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { listen } from '../../../../test/ports.testing.ts'
import { AddressRefused, createPublicLookup } from './addresses.ts'
import { Connections } from './connections.ts'
import { type Bounds, send } from './send.ts'

/** Starts a receiver and returns its port and the connections it has accepted. */
async function serve(listener: RequestListener) {
  const server = createServer(listener)
  const sockets: Socket[] = []
  server.on('connection', (socket) => sockets.push(socket))
  const port = await listen(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port, sockets }
}

/** Starts a receiver that breaks the connection of its nth request, and counts requests. */
async function serveBreaking(nth: number) {
  const counted = { calls: 0 }
  const served = await serve((request, response) => {
    counted.calls++
    if (counted.calls === nth) request.socket.destroy()
    else response.end('ok')
  })
  return { ...served, counted }
}

/** Sends a webhook as deliveries do. */
const post = (port: number, bounds: Partial<Bounds> = {}) =>
  send(
    { method: 'POST', url: `http://127.0.0.1:${port}/`, body: Buffer.from('{}') },
    {
      timeoutMs: timeLimit(5000),
      bytesMax: 1024,
      reach: 'any',
      isRepeatable: true,
      connections: new Connections(),
      ...bounds,
    },
  )

test('500 requests in parallel to one receiver open at most 32 connections', async () => {
  const { port, sockets } = await serve((_, response) => setImmediate(() => response.end('ok')))
  const connections = new Connections()
  const responses = await Promise.all(Array.from({ length: 500 }, () => post(port, { connections })))
  expect(responses.every(({ status }) => status === 200)).toBe(true)
  expect(sockets.length).toBeGreaterThan(1)
  expect(sockets.length).toBeLessThanOrEqual(32)
})

/** Waits for two turns of the event loop, after which a connection can be reused. */
const waitForReuse = async () => {
  for (let n = 0; n < 2; n++) await new Promise((resolve) => setImmediate(resolve))
}

test('sequential requests reuse one connection, or two if there is no pause between them', async () => {
  const { port, sockets } = await serve((_, response) => response.end('ok'))
  const connections = new Connections()
  for (let n = 0; n < 50; n++) await post(port, { connections }).then(waitForReuse)
  expect(sockets.length).toBe(1)
  for (let n = 0; n < 50; n++) await post(port, { connections })
  expect(sockets.length).toBe(2)
})

test('an owner whose requests hang does not block the requests of another owner', async () => {
  const held: (() => void)[] = []
  let isReleased = false
  const { port } = await serve((request, response) => {
    const respond = () => response.end('ok')
    if (isReleased || request.headers['x-owner'] !== 'slow') respond()
    else held.push(respond)
  })
  const connections = new Connections()
  const hanging = Array.from({ length: 40 }, () =>
    send(
      { method: 'POST', url: `http://127.0.0.1:${port}/`, headers: { 'X-Owner': 'slow' } },
      {
        timeoutMs: timeLimit(5000),
        bytesMax: 1024,
        reach: 'any',
        isRepeatable: true,
        connections,
        owner: 'slow',
      },
    ),
  )
  expect(await post(port, { connections, owner: 'fast' })).toMatchObject({ status: 200 })
  isReleased = true
  for (const respond of held) respond()
  for (const { status } of await Promise.all(hanging)) expect(status).toBe(200)
})

test('a request that gets no response on a reused connection is sent again on a new one', async () => {
  const { port, sockets, counted } = await serveBreaking(2)
  const connections = new Connections()
  await post(port, { connections }).then(waitForReuse)
  expect(await post(port, { connections })).toMatchObject({ status: 200 })
  expect([counted.calls, sockets.length]).toEqual([3, 2])
})

test('a request fails if its reused connection breaks after the response has started', async () => {
  let calls = 0
  const { port } = await serve((request, response) => {
    calls++
    if (calls === 1) response.end('ok')
    else {
      response.writeHead(200, { 'Content-Length': 10 })
      response.write('x', () => request.socket.destroy())
    }
  })
  const connections = new Connections()
  await post(port, { connections }).then(waitForReuse)
  await expect(post(port, { connections })).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(calls).toBe(2)
})

test('a request fails and is not sent again if a new connection breaks', async () => {
  let calls = 0
  const { port } = await serve((request) => {
    calls++
    request.socket.destroy()
  })
  await expect(post(port)).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(calls).toBe(1)
})

test('a request that must not arrive twice is sent once, on its own connection', async () => {
  const { port, sockets, counted } = await serveBreaking(3)
  const connections = new Connections()
  await post(port, { connections })
  await post(port, { connections, isRepeatable: false })
  await expect(post(port, { connections, isRepeatable: false })).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect([counted.calls, sockets.length]).toEqual([3, 3])
})

test('a connection that the receiver closed while it was idle is not used', async () => {
  const { port, sockets } = await serve((_, response) => response.end('ok'))
  const connections = new Connections()
  await post(port, { connections })
  const [first] = sockets
  if (first && !first.destroyed) {
    const closed = once(first, 'close')
    first.destroy()
    await closed
  }
  expect(await post(port, { connections })).toMatchObject({ status: 200 })
  expect(sockets.length).toBe(2)
})

test('a connection that was opened without an address check is not reused for public-only requests', async () => {
  const { port, sockets } = await serve((_, response) => response.end('ok'))
  const connections = new Connections({ lookup: createPublicLookup() })
  const url = `http://localhost:${port}/`
  const bounds = { timeoutMs: timeLimit(5000), bytesMax: 1024, connections } as const
  await send({ method: 'GET', url }, { ...bounds, reach: 'any' })
  await expect(send({ method: 'GET', url }, { ...bounds, reach: 'public' })).rejects.toMatchObject({
    code: 'ADDRESS_REFUSED',
  })
  expect(sockets.length).toBe(1)
})

test('a host name is resolved and checked once per connection, and again after the age limit', async () => {
  const { port, sockets } = await serve((_, response) => response.end('ok'))
  let address = '127.0.0.1'
  let lookups = 0
  /** Accepts this machine and rejects all other addresses as private. */
  const lookup: LookupFunction = (_host, _options, callback) => {
    lookups++
    if (address === '127.0.0.1') callback(null, [{ address, family: 4 }])
    else callback(new AddressRefused(address), '', 0)
  }
  const kept = new Connections({ lookup })
  const url = `http://receiver.example:${port}/`
  const ask = (connections: Connections) =>
    send({ method: 'GET', url }, { timeoutMs: timeLimit(5000), bytesMax: 1024, reach: 'public', connections })
  await ask(kept).then(waitForReuse)
  await ask(kept)
  expect([lookups, sockets.length]).toEqual([1, 1])
  const aged = new Connections({ lookup, ageMsMax: 0 })
  await ask(aged)
  address = '10.0.0.1'
  await expect(ask(aged)).rejects.toMatchObject({ code: 'ADDRESS_REFUSED' })
  expect(lookups).toBe(3)
})
