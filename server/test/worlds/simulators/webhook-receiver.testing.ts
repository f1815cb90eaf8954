import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { listen } from '../../../../test/ports.testing.ts'
import { parseJson } from '../../../src/base/json/json.ts'
import { newEndpoint } from '../../../src/kernel/outbox/own-endpoint.ts'
import { insert, update } from '../../../src/storage/commit/writes.ts'
import { type Client, newCustomer, newPlatform, type Reply } from '../client.testing.ts'
import type { TestServer } from '../server.testing.ts'

/** A request that a receiver got. */
export interface Received {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The body as it was sent. */
  readonly text: string
  /** The parsed body. */
  readonly event: {
    readonly id: string
    readonly type: string
    readonly timestamp: string
    readonly objectId: string
    readonly sequence: number
    readonly data?: Readonly<Record<string, unknown>>
  }
}

const RECEIVED_WITHIN_MS = 30_000

/** The response: a status, or a function that responds. */
export type Reaction = number | ((response: ServerResponse) => void)

/** A platform's webhook server for a test, on this machine. */
export class Receiver {
  readonly received: Received[] = []
  readonly url: string
  /** Decides how to respond to each request. Defaults to 200. */
  answer: (received: Received) => Reaction | Promise<Reaction> = () => 200
  readonly #waiting = new Set<() => void>()

  /** Closes all connections and accepts no more. */
  readonly close: () => void

  constructor(url: string, close: () => void) {
    this.url = url
    this.close = close
  }

  /** Opens a receiver that closes at the end of the test. Outside a test, `registerClose` gets the function that closes it. */
  static async open(registerClose: (close: () => void) => void = onTestFinished): Promise<Receiver> {
    let receiver: Receiver | undefined
    const server = createServer((request, response) => {
      receiver!.#receive(request, response).catch((error) => response.destroy(error))
    })
    const port = await listen(server)
    const close = () => {
      server.closeAllConnections()
      server.close()
    }
    receiver = new Receiver(`http://127.0.0.1:${port}/hook?from=test`, close)
    registerClose(close)
    return receiver
  }

  /**
   * Opens a receiver as this platform's endpoint. Waits for its first TEST event, and removes it.
   */
  static async of(
    client: Client,
    registerClose: (close: () => void) => void = onTestFinished,
  ): Promise<Receiver> {
    const receiver = await Receiver.open(registerClose)
    const { status } = await client.send('PATCH', '/config', { webhookEndpoint: receiver.url })
    if (status !== 200) throw new Error(`The settings answer ${status}`)
    await receiver.until((all) => all.some(({ event }) => event.type === 'TEST'))
    receiver.received.length = 0
    return receiver
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const received = {
      url: request.url ?? '',
      headers: request.headers as Record<string, string>,
      text,
      event: parseJson(text) as Received['event'],
    }
    this.received.push(received)
    for (const check of this.#waiting) check()
    const reaction = await this.answer(received)
    if (typeof reaction === 'number') response.writeHead(reaction).end()
    else reaction(response)
  }

  /** Returns the requests so far about one event type, or all requests. */
  of(type?: string): Received[] {
    return this.received.filter(({ event }) => type === undefined || event.type === type)
  }

  /** Resolves once the condition holds, which is checked after each request. Rejects after a time limit. */
  until(condition: (received: readonly Received[]) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = () => {
        if (!condition(this.received)) return
        clearTimeout(timer)
        this.#waiting.delete(check)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(check)
        const listed = this.received.map(({ event }) => `${event.type} ${event.sequence}`)
        reject(new Error(`Not received in time; there were ${listed.join(', ') || 'none'}`))
      }, timeLimit(RECEIVED_WITHIN_MS))
      this.#waiting.add(check)
      check()
    })
  }
}

/** Creates a platform with a receiver and an account. Each funding of the account causes one event. */
export async function newReceiverPlatform() {
  const client = await newPlatform()
  const { usd } = await newCustomer(client)
  const receiver = await Receiver.of(client)
  return { client, usd, receiver }
}

/** Withholds all responses until the returned function is called, then responds 200. */
export function hold(receiver: Receiver): () => void {
  let release!: () => void
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  receiver.answer = async () => {
    await released
    return 200
  }
  return release
}

/** Reads the secret that signs deliveries to this platform. */
export async function secretOf(client: Client): Promise<string> {
  return (await client.get('/webhook-secrets')).body.data[0].secret
}

/** Waits until the API shows an event that satisfies the condition. */
export async function waitForEventState(
  client: Client,
  id: string,
  isExpected: (event: Reply['body']) => boolean,
) {
  for (let tries = 0; tries < 100; tries++) {
    const { body } = await client.get(`/events/${id}`)
    if (isExpected(body)) return body
    await client.advance(0)
  }
  throw new Error(`${id} does not become what it should be`)
}

/** Waits for an event of an object, and returns the latest one. */
export async function readLatestEvent(client: Client, objectId: string): Promise<Reply['body']> {
  for (let tries = 0; tries < 100; tries++) {
    const { data } = (await client.get(`/events?objectId=${objectId}&sortOrder=desc&limit=1`)).body
    if (data[0]) return data[0]
    await client.advance(0)
  }
  throw new Error(`Nothing happened to ${objectId}`)
}

export const sequences = (received: readonly Received[]) => received.map(({ event }) => event.sequence)

/** Creates a platform and the receiver of its events, for a test that runs jobs itself. */
export async function newReceivingPlatform({ app, newOp }: Pick<TestServer, 'app' | 'newOp'>) {
  const receiver = await Receiver.open()
  const op = await newOp()
  const { platform } = op
  const change = {
    config: { ...platform.config, webhookEndpoint: receiver.url },
    version: platform.version + 1,
  }
  await app.committer.commit([
    update('platforms', platform.id, {}, change),
    insert('webhook_endpoints', newEndpoint(op, { role: 'CONFIGURED', url: receiver.url, begins_in: '0' })),
  ])
  return { receiver, platform: { ...platform, ...change }, op }
}
