import type { ErrorCode } from '@countersign/contract/core/errors'

/** The body of an error answer of the API (specification 7). */
export interface Refusal {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly reason?: string | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly requestId?: string | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** The API refused a call. Branch on `code`. */
export class CountersignError extends Error {
  override readonly name = 'CountersignError'
  /** The HTTP status. */
  readonly status: number
  /**
   * A code of the error table; `UNREADABLE_ANSWER` where the answer is not from this API, but from a proxy for example.
   */
  readonly code: ErrorCode | 'UNREADABLE_ANSWER' | (string & {})
  /** 401 only: which check failed. */
  readonly reason: string | undefined
  /** `details.field` names the invalid field, if there is one. */
  readonly details: Readonly<Record<string, unknown>>
  /** The `X-Request-Id` of the answer, if it has one. It finds the call in logs. */
  readonly requestId: string | undefined
  /** 429 and 503: the seconds to wait, where the answer has them. */
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
 * No attempt got an answer: the server cannot be reached, the connection broke, or the call timed out. A call that
 * moves money may still have been executed: repeat it with the same `idempotencyKey`. `cause` is the failure of the
 * last attempt.
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
