import { Agent, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { ConnectorEvent } from '@countersign/contract/connectors/events'
import {
  CONNECTOR_EVENT_BYTES_MAX,
  CONNECTOR_VERSION,
  toEventSigningId,
} from '@countersign/contract/connectors/protocol'
import type { ReportingBank } from './bank.ts'
import { sign } from './signatures.ts'

/** The number of events delivered in parallel. */
const IN_PROGRESS_MAX = 32
const ATTEMPT_TIMEOUT_MS = 10_000
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 30_000

interface PendingEvent {
  readonly event: ConnectorEvent
  readonly body: string
  attempts: number
}

/** Delivers each event at least once, until the receiver responds 2xx. Events may arrive in any order. */
export class Delivery {
  readonly #bank: ReportingBank
  readonly #url: URL
  /** The rail's name at the receiver: the last segment of the URL. */
  readonly #rail: string
  readonly #secrets: readonly Buffer[]
  readonly #agent = new Agent({ keepAlive: true, maxSockets: IN_PROGRESS_MAX })
  /** The events that may be sent now, oldest first. */
  readonly #ready = new Set<PendingEvent>()
  readonly #pauses = new Set<NodeJS.Timeout>()
  #inProgress = 0
  #isClosed = false

  /** Starts with the events that an earlier run left in the outbox. */
  constructor(bank: ReportingBank, url: string, secrets: readonly Buffer[]) {
    this.#bank = bank
    this.#url = new URL(url)
    this.#rail = this.#url.pathname.slice(this.#url.pathname.lastIndexOf('/') + 1)
    this.#secrets = secrets
    this.enqueue([...bank.books.outbox.values()])
  }

  enqueue(events: readonly ConnectorEvent[]): void {
    for (const event of events) {
      const body = JSON.stringify(event)
      const pauseMs = this.#bank.behaviour.shuffleEvents ? Math.random() * 1000 : 0
      // Countersign fetches statements that are too large for an event.
      if (Buffer.byteLength(body) > CONNECTOR_EVENT_BYTES_MAX) this.#bank.markReceived(event.id)
      else this.#schedule({ event, body, attempts: 0 }, pauseMs)
    }
  }

  /** Sends events that are ready, unless events are held. */
  sendReady(): void {
    for (const pendingEvent of this.#ready) {
      if (this.#isClosed || this.#bank.behaviour.holdEvents || this.#inProgress >= IN_PROGRESS_MAX) return
      this.#ready.delete(pendingEvent)
      this.#inProgress += 1
      void this.#deliver(pendingEvent).finally(() => {
        this.#inProgress -= 1
        this.sendReady()
      })
    }
  }

  close(): void {
    this.#isClosed = true
    for (const pause of this.#pauses) clearTimeout(pause)
    this.#agent.destroy()
  }

  #schedule(pendingEvent: PendingEvent, pauseMs: number): void {
    if (pauseMs === 0) {
      this.#ready.add(pendingEvent)
      this.sendReady()
      return
    }
    const pause = setTimeout(() => {
      this.#pauses.delete(pause)
      this.#schedule(pendingEvent, 0)
    }, pauseMs)
    this.#pauses.add(pause)
  }

  /** Delivers an event as often as configured. Schedules another attempt after a failure. */
  async #deliver(pendingEvent: PendingEvent): Promise<void> {
    const { event, body } = pendingEvent
    for (let left = Math.max(1, this.#bank.behaviour.repeatEvents); left > 0; left--) {
      const isReceived = await this.#attempt(event.id, body)
      if (this.#isClosed) return
      if (isReceived) continue
      this.#schedule(pendingEvent, Math.min(FIRST_PAUSE_MS * 2 ** pendingEvent.attempts++, LONGEST_PAUSE_MS))
      return
    }
    this.#bank.markReceived(event.id)
  }

  #attempt(id: string, body: string): Promise<boolean> {
    return new Promise((resolve) => {
      const send = this.#url.protocol === 'https:' ? httpsRequest : httpRequest
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'connector-version': CONNECTOR_VERSION,
        ...sign(this.#secrets, toEventSigningId(this.#rail, id), body),
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
