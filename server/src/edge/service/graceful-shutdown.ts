import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * How a server leaves: first it says so while it goes on answering, so that a balancer sends its requests elsewhere, then it takes no
 * more and finishes those under way, and at last it cuts off what has not ended.
 */
export class Leaving {
  #isBegun = false
  /** The number of requests under way on each open connection. */
  readonly #requests = new Map<Socket, number>()

  /** Whether the server says that it leaves: `/readyz` is 503, and each answer ends its connection. */
  get isBegun(): boolean {
    return this.#isBegun
  }

  begin(): void {
    this.#isBegun = true
  }

  /** Watches the connections of a server that does not listen yet. */
  watch(server: FastifyInstance): void {
    server.server.on('connection', (socket) => {
      this.#requests.set(socket, 0)
      socket.once('close', () => this.#requests.delete(socket))
    })
    server.server.on('request', ({ socket }, response) => {
      this.#count(socket, 1)
      response.once('close', () => this.#count(socket, -1))
    })
    // Without this a connection that was busy at the signal would stay open for the client's next request.
    server.addHook('onSend', (_request, reply, _payload, done) => {
      if (this.#isBegun) reply.header('Connection', 'close')
      done()
    })
  }

  /** Cuts off connections without a whole head of a request: nothing would end a silent one once the server is closing. */
  endSilent(): void {
    for (const [socket, requests] of this.#requests) if (requests === 0) socket.destroy()
  }

  /** Cuts off every connection. */
  endAll(): void {
    for (const socket of this.#requests.keys()) socket.destroy()
  }

  #count(socket: Socket, change: number): void {
    const requests = this.#requests.get(socket)
    if (requests !== undefined) this.#requests.set(socket, requests + change)
  }
}
