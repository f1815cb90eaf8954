import { clipResponse } from '../webhooks/delivery-attempt.ts'
import type { Delivery } from './outcome.ts'
import type { Progress, Receipt, RecordedAttempt } from './progress-store.ts'
import type { SendingEndpoint } from './sender-store.ts'

/**
 * The delivery attempts to an endpoint that this process has not recorded yet. Attempts to endpoints with the
 * role `ADDED` are not recorded.
 */
export class AttemptLog {
  readonly #isRecorded: boolean
  #attempts: RecordedAttempt[] = []
  #receipts: Receipt[] = []
  #faults: string[] = []

  constructor({ role }: Pick<SendingEndpoint, 'role'>) {
    this.#isRecorded = role !== 'ADDED'
  }

  /**
   * Adds an attempt. An event received at the first attempt goes into a receipt, which covers several events.
   */
  add({ pending, attempted, isReceived }: Delivery): void {
    if (!this.#isRecorded) return
    const { event, attempts, isOutsideFeed } = pending
    const { response, durationMs, startedAt } = attempted
    if (isReceived && response && attempts === 0 && !isOutsideFeed) {
      this.#receipts.push({ event, status: response.status, durationMs, startedAt })
      return
    }
    this.#attempts.push({
      eventId: event.id,
      url: attempted.url,
      status: response?.status ?? null,
      error: response ? null : (attempted.error ?? 'INTERNAL'),
      answer: clipResponse(attempted),
      durationMs,
      startedAt,
    })
  }

  /** Notes that the sandbox fault of an event was applied. */
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
