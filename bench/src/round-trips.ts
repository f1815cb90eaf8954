import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/**
 * A proxy in front of PostgreSQL that counts round trips: requests that follow a response on the same
 * connection.
 */
export class RoundTrips {
  count = 0
  readonly port: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(server: Server, target: number) {
    this.#server = server
    const address = server.address()
    if (typeof address !== 'object' || address === null) throw new Error('The proxy is not listening.')
    this.port = address.port
    server.on('connection', (caller) => this.#forward(caller, connect(target, '127.0.0.1')))
  }

  static async open(target: number): Promise<RoundTrips> {
    const server = createServer({ noDelay: true })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new RoundTrips(server, target)
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #forward(caller: Socket, callee: Socket): void {
    let isAwaitingResponse = false
    callee.setNoDelay(true)
    caller.on('data', () => {
      if (!isAwaitingResponse) this.count++
      isAwaitingResponse = true
    })
    callee.on('data', () => {
      isAwaitingResponse = false
    })
    for (const [from, to] of [
      [caller, callee],
      [callee, caller],
    ] as const) {
      this.#sockets.add(from)
      from.on('error', () => {})
      from.on('close', () => to.destroy())
      from.pipe(to)
    }
  }
}
