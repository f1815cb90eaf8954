import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

const ARRIVAL_MS_MAX = 60_000

/** A platform's endpoint that answers 200 at once and reports when an awaited event arrives. */
export class Receiver {
  readonly url: string
  readonly #server: Server
  /** When an event arrived, by type and object. */
  readonly #arrivedAt = new Map<string, number>()
  readonly #waiting = new Map<string, (arrivedAt: number) => void>()

  private constructor(server: Server, url: string) {
    this.#server = server
    this.url = url
  }

  static async open(): Promise<Receiver> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      const arrivedAt = performance.now()
      response.writeHead(200).end()
      const { type, objectId } = JSON.parse(text) as { type: string; objectId: string }
      receiver.#arrived(`${type} ${objectId}`, arrivedAt)
    })
    const receiver: Receiver = new Receiver(server, await listen(server))
    return receiver
  }

  /** Resolves to the arrival of the event of this object, by `performance.now()`. */
  arrival(type: string, objectId: string): Promise<number> {
    const name = `${type} ${objectId}`
    const known = this.#arrivedAt.get(name)
    if (known !== undefined) return Promise.resolve(known)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`No ${type} arrived within a minute.`)), ARRIVAL_MS_MAX)
      this.#waiting.set(name, (arrivedAt) => {
        clearTimeout(timer)
        resolve(arrivedAt)
      })
    })
  }

  close(): void {
    end(this.#server)
  }

  #arrived(name: string, at: number): void {
    this.#arrivedAt.set(name, at)
    this.#waiting.get(name)?.(at)
    this.#waiting.delete(name)
  }
}

/** A platform's endpoint that accepts connections and never answers. */
export class SilentReceiver {
  readonly url: string
  readonly #server: Server

  private constructor(server: Server, url: string) {
    this.#server = server
    this.url = url
  }

  static async open(): Promise<SilentReceiver> {
    const server = createServer(() => {})
    return new SilentReceiver(server, await listen(server))
  }

  close(): void {
    end(this.#server)
  }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

function end(server: Server): void {
  server.closeAllConnections()
  server.close()
}
