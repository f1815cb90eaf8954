import { once } from 'node:events'
import { Agent, createServer, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { openServer } from '../../worlds/server.testing.ts'
import {
  ensureServerBuilt,
  newPlace,
  onPostgres,
  ServerProcess,
} from '../../worlds/server-process.testing.ts'

beforeAll(ensureServerBuilt)

test('a server that is shutting down serves everything but readyz, and closes each connection', async () => {
  const service = await openServer()
  onTestFinished(service.close)
  const client = await service.newPlatform()
  const { origin } = new URL(client.baseUrl)
  expect((await fetch(`${origin}/readyz`)).status).toBe(200)
  service.drain()
  const probe = await fetch(`${origin}/readyz`)
  expectError(
    { status: probe.status, headers: probe.headers, body: await probe.json() },
    { code: 'UNAVAILABLE' },
  )
  expect((await fetch(`${origin}/healthz`)).status).toBe(200)
  const customer = await client.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada' })
  expect(customer.status).toBe(201)
  expect(customer.headers.get('connection')).toBe('close')
})

/** Opens a connection and sends `text`. */
async function openConnection(server: ServerProcess, text: string): Promise<Socket> {
  const { hostname, port } = new URL(server.origin)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  if (text) await new Promise((resolve) => socket.write(text, resolve))
  return socket
}

test('silent connections and unfinished heads do not delay a shutdown', async () => {
  const server = await ServerProcess.ready(await newPlace(), { COUNTERSIGN_STOP_SECONDS: '3600' })
  await openConnection(server, '')
  await openConnection(server, 'GET /readyz HTTP/1.1\r\nHost: x\r\nX-Half')
  expect(await server.kill('SIGTERM')).toMatchObject({ code: 0, signal: null })
})

test('a body that never ends delays a shutdown for COUNTERSIGN_STOP_SECONDS', async () => {
  const server = await ServerProcess.ready(await newPlace(), { COUNTERSIGN_STOP_SECONDS: '1' })
  const { authorization } = server.client()
  const socket = await openConnection(
    server,
    `POST ${new URL(server.baseUrl).pathname}/customers HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n',
  )
  await once(socket, 'data')
  expect(await server.kill('SIGTERM')).toMatchObject({ code: 0, signal: null })
})

/** A load balancer without retries. It forwards requests to servers whose last `readyz` returned 200. */
class Balancer {
  readonly #ready = new Map<string, Agent>()
  readonly #timers: NodeJS.Timeout[] = []
  readonly #server = createServer((incoming, response) => {
    const backends = [...this.#ready]
    const backend = backends[this.#turn++ % backends.length]
    if (!backend) return void response.writeHead(502).end()
    const forwardedRequest = request(
      `${backend[0]}${incoming.url}`,
      { method: incoming.method, headers: incoming.headers, agent: backend[1] },
      (reply) => {
        response.writeHead(reply.statusCode!, { 'content-type': 'application/json' })
        reply.pipe(response)
      },
    )
    forwardedRequest.on('error', () => failResponse(response))
    incoming.pipe(forwardedRequest)
  })
  #turn = 0

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  add(origin: string): void {
    const agent = new Agent({ keepAlive: true })
    this.#ready.set(origin, agent)
    const checkReady = async () => {
      const isReady = await fetch(`${origin}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      )
      if (!isReady) this.#ready.delete(origin)
    }
    this.#timers.push(setInterval(checkReady, 50))
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer)
    for (const agent of this.#ready.values()) agent.destroy()
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

function failResponse(response: ServerResponse): void {
  if (response.headersSent) response.destroy()
  else response.writeHead(502).end()
}

describe.runIf(onPostgres)('a rolling restart', () => {
  test('behind a load balancer loses none of 4,000 requests', async () => {
    const place = await newPlace()
    const startServer = () => ServerProcess.ready(place, { COUNTERSIGN_DRAIN_SECONDS: '1' })
    const servers = [await startServer(), await startServer()]
    const balancer = new Balancer()
    onTestFinished(() => balancer.close())
    for (const { origin } of servers) balancer.add(origin)
    const origin = await balancer.listen()
    const client = servers[0]!.client()
    const path = `${origin}${new URL(client.baseUrl).pathname}/customers`
    const headers = { Authorization: client.authorization, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ customerType: 'INDIVIDUAL', fullName: 'Ada' })

    const statuses: number[] = []
    let isRestarted = false
    const sendRequests = async () => {
      while (!isRestarted || statuses.length < 4_000) {
        const reply = await fetch(path, { method: 'POST', headers, body })
        await reply.text()
        statuses.push(reply.status)
      }
    }
    const restartServers = async () => {
      for (const server of servers) {
        const ending = await server.kill('SIGTERM')
        expect(ending).toMatchObject({ code: 0, signal: null })
        balancer.add((await startServer()).origin)
      }
      isRestarted = true
    }
    await Promise.all([restartServers(), ...Array.from({ length: 8 }, sendRequests)])
    expect(statuses.filter((status) => status !== 201)).toEqual([])
  })
})
