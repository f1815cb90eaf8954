import type { ErrorCode } from '@countersign/contract/core/errors'

/** What an answer of the API says about why it is a refusal (specification 7). */
export interface Refusal {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly reason?: string | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly requestId?: string | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** The API refused a call. `code` is the one to branch on. */
export class CountersignError extends Error {
  override readonly name = 'CountersignError'
  /** The HTTP status. */
  readonly status: number
  /** A code of the error table; `UNREADABLE_ANSWER` where the answer is not one of this API, a proxy's say. */
  readonly code: ErrorCode | 'UNREADABLE_ANSWER' | (string & {})
  /** 401 only: which check failed. */
  readonly reason: string | undefined
  /** Names the field at fault where there is one: `details.field`. */
  readonly details: Readonly<Record<string, unknown>>
  /** The `X-Request-Id` of the answer, where something on the way gives one: it finds the call in logs. */
  readonly requestId: string | undefined
  /** 429 and 503: how long to wait, in seconds, where the answer says so. */
  readonly retryAfterSeconds: number | undefined

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.status = refusal.status
    this.code = refusal.code
    this.reason = refusal.reason
    this.details = refusal.details ?? {}
    this.requestId = refusal.requestId
    this.retryAfterSeconds = refusal.retryAfterSeconds
  }
}

/**
 * No answer arrived, after all tries: the server cannot be reached, the connection broke, or the time is up. A call
 * that moves money may have been done all the same; ask again with the same `idempotencyKey`. `cause` is the failure
 * of the last try.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly isTimeout: boolean
  /** The `Idempotency-Key` that the call was sent with. */
  readonly idempotencyKey: string | undefined

  constructor(
    message: string,
    options: { cause: unknown; isTimeout: boolean; idempotencyKey: string | undefined },
  ) {
    super(message, { cause: options.cause })
    this.isTimeout = options.isTimeout
    this.idempotencyKey = options.idempotencyKey
  }
}
