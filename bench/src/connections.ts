import { connect, type Socket } from 'node:net'

/** An answer of the server. */
export interface Reply {
  readonly status: number
  readonly body: string
}

/**
 * A keep-alive connection with one request at a time. It reads as little of an answer as possible, because the load
 * takes processor time from the server on the same machine.
 */
export class Connection {
  readonly #socket: Socket
  #chunks: Buffer[] = []
  #settle: { resolve(reply: Reply): void; reject(error: Error): void } | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk) => this.#take(chunk))
    socket.on('close', () => this.#settle?.reject(new Error('The server closed the connection.')))
    socket.on('error', (error) => this.#settle?.reject(error))
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, noDelay: true }, () =>
        resolve(new Connection(socket)),
      )
      socket.once('error', reject)
    })
  }

  send(request: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      // A server closes an idle connection after a while.
      if (this.#socket.destroyed) reject(new Error('The server closed the connection.'))
      this.#settle = { resolve, reject }
      this.#socket.write(request, 'latin1')
    })
  }

  close(): void {
    this.#settle = undefined
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk)
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
    this.#chunks = [bytes]
    const headEnd = bytes.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const head = bytes.toString('latin1', 0, headEnd)
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? Number.NaN)
    if (Number.isNaN(length)) {
      this.#settle?.reject(new Error(`An answer without its length: ${head}`))
      return
    }
    const bodyStart = headEnd + 4
    if (bytes.length < bodyStart + length) return
    this.#chunks = []
    const reply = {
      status: Number(head.slice(9, 12)),
      body: bytes.toString('utf8', bodyStart, bodyStart + length),
    }
    this.#settle?.resolve(reply)
  }
}

/** A request as bytes of the wire. */
export function wireRequest(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): string {
  const all = {
    Host: '127.0.0.1',
    ...headers,
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(body === undefined && method === 'GET' ? {} : { 'Content-Length': String(body?.length ?? 0) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}

export function openConnections(port: number, count: number): Promise<Connection[]> {
  return Promise.all(Array.from({ length: count }, () => Connection.open(port)))
}

/**
 * Every connection works until `isOver` or until `work` has no more. Returns the number of finished pieces of work and
 * the seconds.
 */
export async function drive(
  connections: readonly Connection[],
  isOver: () => boolean,
  work: (connection: Connection) => Promise<boolean>,
): Promise<{ done: number; seconds: number }> {
  let done = 0
  const begun = performance.now()
  await Promise.all(
    connections.map(async (connection) => {
      while (!isOver() && (await work(connection))) done++
    }),
  )
  return { done, seconds: (performance.now() - begun) / 1000 }
}

/** True once `seconds` have passed. */
export function after(seconds: number): () => boolean {
  const end = performance.now() + seconds * 1000
  return () => performance.now() >= end
}
