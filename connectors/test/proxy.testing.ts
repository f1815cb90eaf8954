import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Passed {
  method: string
  url: string
  headers: Record<string, string>
  body: string
}

export interface Answered {
  status: number
  body: string
}

/** What stands between two sides. It may change what passes, or answer by itself. */
export type Between = (call: Passed, pass: (call: Passed) => Promise<Answered>) => Promise<Answered>

export interface Proxy {
  readonly url: string
  readonly close: () => Promise<void>
}

/** A server that passes calls on to `target`, through `between`. */
export async function openProxy(target: () => string, between: Between): Promise<Proxy> {
  const pass = async ({ method, url, headers, body }: Passed): Promise<Answered> => {
    const response = await fetch(`${target()}${url}`, { method, headers, ...(body === '' ? {} : { body }) })
    return { status: response.status, body: await response.text() }
  }
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    try {
      for await (const part of request) parts.push(part as Buffer)
      const { method = '', url = '' } = request
      const body = Buffer.concat(parts).toString('utf8')
      const answer = await between({ method, url, headers: passedOn(request.headers), body }, pass)
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
    } catch {
      request.socket.destroy()
    }
  })
  const port = await listening(server)
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listening(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  )
}

function passedOn(headers: IncomingHttpHeaders): Record<string, string> {
  const { host: _host, connection: _connection, 'content-length': _length, ...rest } = headers
  return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]))
}
