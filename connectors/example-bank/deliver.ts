import { Agent, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { ConnectorEvent } from '@countersign/contract/connectors/events'
import {
  CONNECTOR_EVENT_BYTES_MAX,
  CONNECTOR_VERSION,
  eventSigningId,
} from '@countersign/contract/connectors/protocol'
import type { ReportingBank } from './bank.ts'
import { sign } from './signatures.ts'

/** The number of events delivered in parallel. */
const IN_PROGRESS_MAX = 32
const ATTEMPT_TIMEOUT_MS = 10_000
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 30_000

interface Parcel {
  readonly event: ConnectorEvent
  readonly body: string
  attempts: number
}

/** Delivers events, each until the receiver responds 2xx: at least once, in any order. */
export class Delivery {
  readonly #bank: ReportingBank
  readonly #url: URL
  /** The name of the rail there: the end of the address. */
  readonly #rail: string
  readonly #secrets: readonly Buffer[]
  readonly #agent = new Agent({ keepAlive: true, maxSockets: IN_PROGRESS_MAX })
  /** The events that may be sent now, oldest first. */
  readonly #ready = new Set<Parcel>()
  readonly #pauses = new Set<NodeJS.Timeout>()
  #inProgress = 0
  #isClosed = false

  /** Starts with the events that an earlier run has left in the outbox. */
  constructor(bank: ReportingBank, url: string, secrets: readonly Buffer[]) {
    this.#bank = bank
    this.#url = new URL(url)
    this.#rail = this.#url.pathname.slice(this.#url.pathname.lastIndexOf('/') + 1)
    this.#secrets = secrets
    this.take([...bank.books.outbox.values()])
  }

  take(events: readonly ConnectorEvent[]): void {
    for (const event of events) {
      const body = JSON.stringify(event)
      const pauseMs = this.#bank.behaviour.shuffleEvents ? Math.random() * 1000 : 0
      // Countersign fetches a statement that is longer than this.
      if (Buffer.byteLength(body) > CONNECTOR_EVENT_BYTES_MAX) this.#bank.told(event.id)
      else this.#schedule({ event, body, attempts: 0 }, pauseMs)
    }
  }

  /** Sends events that are ready, unless events are held. */
  go(): void {
    for (const parcel of this.#ready) {
      if (this.#isClosed || this.#bank.behaviour.holdEvents || this.#inProgress >= IN_PROGRESS_MAX) return
      this.#ready.delete(parcel)
      this.#inProgress += 1
      void this.#deliver(parcel).finally(() => {
        this.#inProgress -= 1
        this.go()
      })
    }
  }

  close(): void {
    this.#isClosed = true
    for (const pause of this.#pauses) clearTimeout(pause)
    this.#agent.destroy()
  }

  #schedule(parcel: Parcel, pauseMs: number): void {
    if (pauseMs === 0) {
      this.#ready.add(parcel)
      this.go()
      return
    }
    const pause = setTimeout(() => {
      this.#pauses.delete(pause)
      this.#schedule(parcel, 0)
    }, pauseMs)
    this.#pauses.add(pause)
  }

  /** Delivers an event with its configured repeats, or plans the next attempt. */
  async #deliver(parcel: Parcel): Promise<void> {
    const { event, body } = parcel
    for (let left = Math.max(1, this.#bank.behaviour.repeatEvents); left > 0; left--) {
      const isReceived = await this.#attempt(event.id, body)
      if (this.#isClosed) return
      if (isReceived) continue
      this.#schedule(parcel, Math.min(FIRST_PAUSE_MS * 2 ** parcel.attempts++, LONGEST_PAUSE_MS))
      return
    }
    this.#bank.told(event.id)
  }

  #attempt(id: string, body: string): Promise<boolean> {
    return new Promise((resolve) => {
      const send = this.#url.protocol === 'https:' ? httpsRequest : httpRequest
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'connector-version': CONNECTOR_VERSION,
        ...sign(this.#secrets, eventSigningId(this.#rail, id), body),
      }
      const options = { method: 'POST', headers, timeout: ATTEMPT_TIMEOUT_MS }
      const request = send(
        this.#url,
        this.#url.protocol === 'https:' ? options : { ...options, agent: this.#agent },
        (response) => {
          const status = response.statusCode ?? 0
          response.resume()
          response.on('close', () => resolve(status >= 200 && status < 300))
        },
      )
      request.on('timeout', () => request.destroy())
      request.on('error', () => resolve(false))
      request.end(body)
    })
  }
}
