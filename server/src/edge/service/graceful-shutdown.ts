import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Graceful shutdown: first the server reports it while it still serves requests, so that a load balancer
 * sends requests elsewhere; then it accepts no more and finishes requests in progress; finally it closes the
 * remaining connections.
 */
export class Leaving {
  #isBegun = false
  /** The number of requests in progress on each open connection. */
  readonly #requests = new Map<Socket, number>()

  /** True once the shutdown began: `/readyz` returns 503, and each response closes its connection. */
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

  /**
   * Closes connections without a complete request head: nothing else would end a silent one during the
   * shutdown.
   */
  endSilent(): void {
    for (const [socket, requests] of this.#requests) if (requests === 0) socket.destroy()
  }

  /** Closes every connection. */
  endAll(): void {
    for (const socket of this.#requests.keys()) socket.destroy()
  }

  #count(socket: Socket, change: number): void {
    const requests = this.#requests.get(socket)
    if (requests !== undefined) this.#requests.set(socket, requests + change)
  }
}
