import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { ConnectorEvent } from '@countersign/contract/connectors/events'
import { CONNECTOR_VERSION, toEventSigningId } from '@countersign/contract/connectors/protocol'
import { readBody } from '@countersign/contract/connectors/reader'
import { Webhook } from 'standardwebhooks'

/** One attempt by the connector to deliver an event. */
export interface Delivery {
  readonly event: ConnectorEvent
  readonly text: string
  /** Violations of the protocol in this attempt. The event's content is checked elsewhere. */
  readonly faults: readonly string[]
  readonly atMs: number
  readonly outcome: FailureResponse | 'received'
}

/** Ways to respond other than with 200. */
export type FailureResponse = '500' | 'closed' | 'late and 503'

const LATE_MS = 1500

/** Receives events as Countersign does, and fails on request. */
export class Receiver {
  readonly deliveries: Delivery[] = []
  /** Requests that were not events of the protocol. */
  readonly invalidRequests: string[] = []
  readonly #secrets: readonly string[]
  readonly #server: Server
  readonly #tricks = new Map<string, FailureResponse[]>()
  readonly #watchers = new Set<() => void>()

  private constructor(secrets: readonly string[]) {
    this.#secrets = secrets
    this.#server = createServer((request, response) => void this.#receive(request, response))
  }

  static open(host: string, port: number, secrets: readonly string[]): Promise<Receiver> {
    const receiver = new Receiver(secrets)
    return new Promise((resolve, reject) => {
      receiver.#server.once('error', reject)
      receiver.#server.listen(port, host, () => resolve(receiver))
    })
  }

  /** Sets how to respond to the next attempts to deliver an event about this payment or deposit. */
  failNext(about: string, type: ConnectorEvent['type'], tricks: readonly FailureResponse[]): void {
    this.#tricks.set(`${type} ${about}`, [...tricks])
  }

  /** The attempts to deliver one type of event about a payment, pull or deposit, oldest first. */
  findDeliveries(about: string, type: ConnectorEvent['type']): Delivery[] {
    return this.deliveries.filter(({ event }) => event.type === type && getSubject(event) === about)
  }

  /** Resolves with the first matching attempt, past or future, or with undefined after `waitMs`. */
  waitForDelivery(isMatch: (delivery: Delivery) => boolean, waitMs: number): Promise<Delivery | undefined> {
    return new Promise((resolve) => {
      const checkDeliveries = () => {
        const found = this.deliveries.find(isMatch)
        if (found) finish(found)
      }
      const timer = setTimeout(() => finish(undefined), waitMs)
      const finish = (found: Delivery | undefined) => {
        clearTimeout(timer)
        this.#watchers.delete(checkDeliveries)
        resolve(found)
      }
      this.#watchers.add(checkDeliveries)
      checkDeliveries()
    })
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    try {
      const pieces: AsyncIterable<Buffer> = request
      for await (const part of pieces) parts.push(part)
    } catch {
      return
    }
    const text = Buffer.concat(parts).toString('utf8')
    const { value: event, fault } = readBody(ConnectorEvent, tryParseJson(text))
    if (fault !== undefined) {
      this.invalidRequests.push(`${fault}: ${text.slice(0, 200)}`)
      response.writeHead(400).end()
      return
    }
    const trick = this.#tricks.get(`${event.type} ${getSubject(event)}`)?.shift()
    const faults = this.#findFaults(request, event, text)
    this.deliveries.push({ event, text, faults, atMs: Date.now(), outcome: trick ?? 'received' })
    for (const checkDeliveries of [...this.#watchers]) checkDeliveries()
    this.#respond(trick, request, response)
  }

  #respond(trick: FailureResponse | undefined, request: IncomingMessage, response: ServerResponse): void {
    const end = (status: number) => {
      if (response.destroyed) return
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ received: status === 200 }))
    }
    if (trick === 'closed') request.socket.destroy()
    else if (trick === '500') end(500)
    else if (trick) setTimeout(() => end(503), LATE_MS)
    else end(200)
  }

  #findFaults({ headers, method, url = '' }: IncomingMessage, event: ConnectorEvent, text: string): string[] {
    const plainHeaders = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, String(value)]),
    )
    // The URL ends with the rail's name.
    const signedId = toEventSigningId(url.slice(url.lastIndexOf('/') + 1), event.id)
    const isSigned = this.#secrets.some((secret) => {
      try {
        new Webhook(secret).verify(text, plainHeaders, { jsonParse: false })
        return true
      } catch {
        return false
      }
    })
    return [
      ...(isSigned ? [] : ['its signature is invalid or too old']),
      ...(headers['webhook-id'] === signedId ? [] : [`webhook-id is not "${signedId}"`]),
      ...(headers['connector-version'] === CONNECTOR_VERSION ? [] : ['Connector-Version: 1 is missing']),
      ...(method === 'POST' ? [] : [`the method is ${method}, not POST`]),
    ]
  }
}

/** The id of the payment, pull, deposit or statement that an event is about. */
export function getSubject({ type, data }: ConnectorEvent): string {
  if (type === 'statement') return `${data.date}/${data.currency}`
  return type === 'deposit.received' || type === 'deposit.reversed' ? data.depositId : data.id
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
