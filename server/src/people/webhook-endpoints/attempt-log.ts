import { clipAnswer } from '../webhooks/delivery-attempt.ts'
import type { Delivery } from './outcome.ts'
import type { Progress, Receipt, RecordedAttempt } from './progress-store.ts'
import type { SendingEndpoint } from './sender-store.ts'

/**
 * The delivery attempts of this process at an endpoint since they were last recorded. Endpoints with the role
 * `ADDED` keep none.
 */
export class AttemptLog {
  readonly #isKept: boolean
  #attempts: RecordedAttempt[] = []
  #receipts: Receipt[] = []
  #faults: string[] = []

  constructor({ role }: Pick<SendingEndpoint, 'role'>) {
    this.#isKept = role !== 'ADDED'
  }

  /** Adds an attempt. An event received at the first attempt needs no row. */
  add({ pending, attempted, isReceived }: Delivery): void {
    if (!this.#isKept) return
    const { event, attempts, isApart } = pending
    const { answer, durationMs, startedAt } = attempted
    if (isReceived && answer && attempts === 0 && !isApart) {
      this.#receipts.push({ event, status: answer.status, durationMs, startedAt })
      return
    }
    this.#attempts.push({
      eventId: event.id,
      url: attempted.url,
      status: answer?.status ?? null,
      error: answer ? null : (attempted.error ?? 'INTERNAL'),
      answer: clipAnswer(attempted),
      durationMs,
      startedAt,
    })
  }

  /** Notes that an event's sandbox fault was applied. */
  recordFault(eventId: string): void {
    this.#faults.push(eventId)
  }

  /** Removes and returns the attempts to record. */
  take(): Pick<Progress, 'attempts' | 'receipts' | 'faults'> {
    const taken = { attempts: this.#attempts, receipts: this.#receipts, faults: this.#faults }
    this.#attempts = []
    this.#receipts = []
    this.#faults = []
    return taken
  }
}
