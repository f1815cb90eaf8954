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

/** The API refused a call. Branch on `code`. */
export class CountersignError extends Error {
  override readonly name = 'CountersignError'
  /** The HTTP status. */
  readonly status: number
  /**
   * A code of the error table; `UNREADABLE_ANSWER` if the response is not from this API, but from a proxy for
   * example.
   */
  readonly code: ErrorCode | 'UNREADABLE_ANSWER' | (string & {})
  /** The page that explains this error, the remedy, and when to retry. */
  readonly docUrl: string | undefined
  /** 401 only: which check failed. */
  readonly reason: string | undefined
  /**
   * `details.field` names the invalid field, if there is one. Amounts are `bigint`, in the smallest unit of
   * `details.currency`; `details.code` is `INVALID_OTP_CODE` for a wrong one-time code.
   */
  readonly details: Readonly<Record<string, unknown>>
  /** The `X-Request-Id` of the response, if it has one. It finds the call in logs. */
  readonly httpRequestId: string | undefined
  /** 429 and 503: the seconds to wait, if the response has them. */
  readonly retryAfterSeconds: number | undefined

  /**
   * 401 only: true if the credentials of the call were refused, and not a code, a signature or a token inside
   * it.
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
 * No attempt got a response: the server cannot be reached, the connection broke, or the call timed out. A
 * call that moves money may still have been executed: repeat it with the same `idempotencyKey`. `cause` is
 * the failure of the last attempt.
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

/**
 * True for a refusal with one of these codes: `isCode(error, 'QUOTE_EXPIRED')`. Narrows the type of `code`;
 * the codes of one call are `ErrorOf<'quote_execute'>`.
 */
export function isCode<const C extends ErrorCode>(
  error: unknown,
  ...codes: readonly C[]
): error is CountersignError & { readonly code: C } {
  return error instanceof CountersignError && codes.some((code) => code === error.code)
}

/** A wallet must sign this call, and it was made without a signer. Send the same call again with the signature and `requestId`. */
export class SignatureRequiredError extends Error {
  override readonly name = 'SignatureRequiredError'
  /** The payload that the wallet's holder signs on the device. `statementOf` reads it. */
  readonly payloadToSign: string
  /** Goes into the second call, next to `signature`. */
  readonly requestId: string
  /** ISO 8601. The second call must arrive before. */
  readonly expiresAt: string

  constructor(
    call: string,
    challenge: { readonly payloadToSign: string; readonly requestId: string; readonly expiresAt: string },
  ) {
    super(
      `${call} needs the signature of a wallet: give a signer, or have payloadToSign signed on its device.`,
    )
    this.payloadToSign = challenge.payloadToSign
    this.requestId = challenge.requestId
    this.expiresAt = challenge.expiresAt
  }
}
