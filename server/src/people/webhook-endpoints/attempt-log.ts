import { clipAnswer } from '../webhooks/delivery-attempt.ts'
import type { Delivery } from './outcome.ts'
import type { Progress, Receipt, RecordedAttempt } from './progress-store.ts'
import type { SendingEndpoint } from './sender-store.ts'

/**
 * The delivery attempts that this process has made at an endpoint and not recorded yet. Attempts at endpoints
 * with the role `ADDED` are not recorded.
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
   * Adds an attempt. An event received at its first attempt goes into a receipt, which several events share.
   */
  add({ pending, attempted, isReceived }: Delivery): void {
    if (!this.#isRecorded) return
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
