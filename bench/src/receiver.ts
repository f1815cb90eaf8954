import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** A platform's webhook endpoint, which counts deliveries. Requests to `HANGING_PATH` get no response. */
export class Receiver {
  static readonly HANGING_PATH = '/hangs'
  /** URL with a trailing `/`. */
  readonly url: string
  /** When the last webhook arrived, as `performance.now()`. */
  lastMs = 0
  /** The time that it waits before it responds. */
  delayMs = 0
  #requests = 0
  #connections = 0
  #ages: number[] = []
  readonly #server: Server

  private constructor(server: Server, port: number) {
    this.#server = server
    this.url = `http://127.0.0.1:${port}/`
    server.on('connection', () => {
      this.#connections++
    })
    server.on('request', (request, response) => {
      if (request.url === Receiver.HANGING_PATH) return
      this.#requests++
      this.lastMs = performance.now()
      const arrivedAt = Date.now()
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        this.#ages.push(arrivedAt - readTime(Buffer.concat(chunks)))
        if (this.delayMs > 0) void setTimeout(this.delayMs).then(() => response.end())
        else response.end()
      })
    })
  }

  static async open(): Promise<Receiver> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address: AddressInfo | string | null = server.address()
    if (typeof address !== 'object' || address === null) throw new Error('The receiver does not listen.')
    return new Receiver(server, address.port)
  }

  counts() {
    return { requests: this.#requests, connections: this.#connections }
  }

  /** Returns the time from each event to its webhook, in ms, and forgets them. */
  takeAges(): number[] {
    const ages = this.#ages
    this.#ages = []
    return ages
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

const TIMESTAMP = /"timestamp":"([^"]+)"/

/** Reads an event's time without the cost of parsing the whole body. */
function readTime(body: Buffer): number {
  return Date.parse(TIMESTAMP.exec(body.toString('latin1'))?.[1] ?? '')
}
