import { createServer, type Server } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { listen } from '../../test/ports.testing.ts'
import { ConnectionError } from '../src/client/errors.ts'
import { Countersign } from '../src/countersign.ts'
import { makePlatform } from './platform.testing.ts'

/**
 * A failing network: forwards every request to the server, waits for the response, and cuts the connection
 * for the first `cuts` requests, so that they are executed without the client knowing.
 */
async function startCuttingProxy(
  baseUrl: string,
  cuts: number,
): Promise<{ baseUrl: string; server: Server }> {
  const { origin, pathname } = new URL(baseUrl)
  let left = cuts
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers
    const forwarded = await fetch(origin + request.url, {
      method: request.method!,
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    })
    const body = await forwarded.text()
    if (left-- > 0) return void request.socket.destroy()
    const replayed = forwarded.headers.get('Idempotency-Replayed')
    response.writeHead(forwarded.status, replayed ? { 'Idempotency-Replayed': replayed } : {}).end(body)
  })
  const port = await listen(server)
  return { baseUrl: `http://127.0.0.1:${port}${pathname}`, server }
}

describe('a connection that breaks after the execution', () => {
  let server: Server | undefined

  afterEach(() => {
    server?.closeAllConnections()
    server?.close()
  })

  async function connectThroughProxy(cuts: number, triesMax?: number) {
    const credentials = await makePlatform()
    const proxy = await startCuttingProxy(credentials.baseUrl, cuts)
    server = proxy.server
    const sleep = async () => {}
    const { baseUrl } = proxy
    return new Countersign({ ...credentials, baseUrl, sleep, ...(triesMax ? { triesMax } : {}) })
  }

  const customers = async (countersign: Countersign) => {
    const { body } = await countersign.call('customer_list')
    return body.data.map(({ id }) => id)
  }

  test('creates nothing twice: the next attempt gets the stored response', async () => {
    const countersign = await connectThroughProxy(2)
    const created = await countersign.call('customer_create', { body: { customerType: 'INDIVIDUAL' } })
    expect(created.isReplayed).toBe(true)
    expect(await customers(countersign)).toEqual([created.body.id])
  })

  test('has the key in the error, which finds the response later', async () => {
    const countersign = await connectThroughProxy(1, 1)
    const body = { customerType: 'INDIVIDUAL' } as const
    const error = await countersign.call('customer_create', { body }).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ConnectionError)
    const { idempotencyKey } = error as ConnectionError
    const created = await countersign.call('customer_create', { body, idempotencyKey: idempotencyKey! })
    expect(created.isReplayed).toBe(true)
    expect(await customers(countersign)).toEqual([created.body.id])
  })
})
