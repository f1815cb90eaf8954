import type { ErrorCode } from '../generated/types.ts'

/** The body of an error response (specification 7). */
export interface Refusal {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly docUrl?: string | undefined
  readonly reason?: string | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly httpRequestId?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly isCredentials?: boolean | undefined
}

/** The API returned an error. Branch on `code`. */
export class CountersignError extends Error {
  override readonly name = 'CountersignError'
  /** The HTTP status. */
  readonly status: number
  /**
   * A code from the error table, or `UNREADABLE_ANSWER` if the response did not come from this API but, for
   * example, from a proxy.
   */
  readonly code: ErrorCode | 'UNREADABLE_ANSWER' | (string & {})
  /** A page that explains this error, how to fix it, and when to retry. */
  readonly docUrl: string | undefined
  /** Only for 401: the check that failed. */
  readonly reason: string | undefined
  /**
   * `details.field` is the invalid field, if there is one. Amounts are `bigint`, in the smallest unit of
   * `details.currency`. For a wrong one-time code, `details.code` is `INVALID_OTP_CODE`.
   */
  readonly details: Readonly<Record<string, unknown>>
  /** The response's `X-Request-Id`, if any, with which the call can be found in logs. */
  readonly httpRequestId: string | undefined
  /** Only for 429 and 503: how long to wait, if the response says so. */
  readonly retryAfterSeconds: number | undefined

  /**
   * Only for 401: true if the call's credentials were rejected, and not a code, signature or token inside the
   * call.
   */
  readonly isCredentials: boolean

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.status = refusal.status
    this.code = refusal.code
    this.docUrl = refusal.docUrl
    this.reason = refusal.reason
    this.details = refusal.details ?? {}
    this.httpRequestId = refusal.httpRequestId
    this.retryAfterSeconds = refusal.retryAfterSeconds
    this.isCredentials = refusal.status === 401 && (refusal.isCredentials ?? false)
  }
}

/**
 * No attempt got a response: the server is unreachable, the connection broke, or the call timed out. A call
 * that moves money may still have been executed, so repeat it with the same `idempotencyKey`. `cause` is the
 * error of the last attempt.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly isTimeout: boolean
  /** The `Idempotency-Key` of the call. */
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

/**
 * True if the error has one of these codes: `isCode(error, 'QUOTE_EXPIRED')`. Narrows the type of `code`. The
 * codes that one call can return are `ErrorOf<'quote_execute'>`.
 */
export function isCode<const C extends ErrorCode>(
  error: unknown,
  ...codes: readonly C[]
): error is CountersignError & { readonly code: C } {
  return error instanceof CountersignError && codes.some((code) => code === error.code)
}

/**
 * A wallet must sign this call, but no signer was given. Repeat the call with the signature and `requestId`.
 */
export class SignatureRequiredError extends Error {
  override readonly name = 'SignatureRequiredError'
  /** The payload to be signed on the customer's device. `statementOf` parses it. */
  readonly payloadToSign: string
  /** Send it in the second call, together with `signature`. */
  readonly requestId: string
  /** ISO 8601. Deadline for the second call. */
  readonly expiresAt: string

  constructor(
    call: string,
    challenge: { readonly payloadToSign: string; readonly requestId: string; readonly expiresAt: string },
  ) {
    super(
      `${call} requires the wallet's signature. Pass a signer, or have payloadToSign signed on the wallet's device.`,
    )
    this.payloadToSign = challenge.payloadToSign
    this.requestId = challenge.requestId
    this.expiresAt = challenge.expiresAt
  }
}
