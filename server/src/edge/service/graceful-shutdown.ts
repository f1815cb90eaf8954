import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Graceful shutdown. The server first announces it while still serving, so that load balancers stop sending
 * requests. Then it accepts no more requests, finishes those in progress, and closes the remaining
 * connections.
 */
export class Shutdown {
  #hasStarted = false
  /** The number of requests in progress on each open connection. */
  readonly #requests = new Map<Socket, number>()

  /** True once the shutdown has begun: `/readyz` returns 503, and each response closes its connection. */
  get hasStarted(): boolean {
    return this.#hasStarted
  }

  begin(): void {
    this.#hasStarted = true
  }

  /** Watches the connections of a server that is not listening yet. */
  watch(server: FastifyInstance): void {
    server.server.on('connection', (socket) => {
      this.#requests.set(socket, 0)
      socket.once('close', () => this.#requests.delete(socket))
    })
    server.server.on('request', ({ socket }, response) => {
      this.#count(socket, 1)
      response.once('close', () => this.#count(socket, -1))
    })
    // Otherwise a connection that was busy at the signal would stay open for the client's next request.
    server.addHook('onSend', (_request, reply, _payload, done) => {
      if (this.#hasStarted) reply.header('Connection', 'close')
      done()
    })
  }

  /**
   * Closes connections without a request in progress. Nothing else would close a silent connection during
   * shutdown.
   */
  endSilent(): void {
    for (const [socket, requests] of this.#requests) if (requests === 0) socket.destroy()
  }

  endAll(): void {
    for (const socket of this.#requests.keys()) socket.destroy()
  }

  #count(socket: Socket, change: number): void {
    const requests = this.#requests.get(socket)
    if (requests !== undefined) this.#requests.set(socket, requests + change)
  }
}
