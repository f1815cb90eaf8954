import type { BodyOf, Endpoint, ParamsOf, QueryOf, SuccessOf } from '@countersign/contract/endpoint'
import { ERRORS, type ErrorCode } from '@countersign/contract/errors'
import type { Op } from './app.ts'
import type { Write } from './db/writes.ts'

/** A refusal that the caller is told of: a code of the error table, the field or reason, and details. */
export class ApiError extends Error {
  readonly code: ErrorCode
  /** 401 only: which check failed. */
  readonly reason: string | undefined
  readonly details: Readonly<Record<string, unknown>> | undefined
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(
    code: ErrorCode,
    options: {
      message?: string
      reason?: string
      details?: Readonly<Record<string, unknown>>
      headers?: Readonly<Record<string, string>>
    } = {},
  ) {
    super(options.message ?? ERRORS[code].message)
    this.code = code
    this.reason = options.reason
    this.details = options.details
    this.headers = options.headers
  }
}

/** A refusal that names the field of the request it is about. */
export function fieldError(code: ErrorCode, field: string, message: string): ApiError {
  return new ApiError(code, { message, details: { field } })
}

/** What a handler is given: parsed, validated and typed. Never headers. */
export interface Input<E extends Endpoint> {
  readonly params: ParamsOf<E>
  readonly query: QueryOf<E>
  readonly body: BodyOf<E>
  /** Present on the signed retry of a signed endpoint: the signature was checked. */
  readonly approval?: Approval
}

/** A signed request that was matched and verified, to be consumed with the operation. */
export interface Approval {
  readonly requestId: string
  readonly accountId: string
  readonly sessionId: string | undefined
  readonly publicKey: string
  /** What the first call put aside for the second. */
  readonly context: Readonly<Record<string, unknown>>
}

/** The answer, and what must be written for it to be true. */
export type Outcome<E extends Endpoint> = SuccessOf<E> & { readonly writes?: readonly Write[] }

export type Handler<E extends Endpoint> = (op: Op, input: Input<E>) => Promise<Outcome<E>>

/** What must be signed before an operation is done (specification 3.4). */
export type Authorization =
  | {
      readonly accountId: string
      /** What is being authorized, in words a device can show; the pipeline adds request id, expiry and body hash. */
      readonly statement: Readonly<Record<string, unknown>>
      /** What the first call puts aside for the second. */
      readonly context?: Readonly<Record<string, unknown>>
      readonly expiresAt: Date
    }
  | {
      readonly accountId: string
      /** An exact payload, to be signed by this key instead of a session's. */
      readonly payload: string
      readonly signerPublicKey: string
      readonly context: Readonly<Record<string, unknown>>
      readonly expiresAt: Date
      /** Further members of the 202 answer. */
      readonly challenge: Readonly<Record<string, unknown>>
    }
  | { readonly requestId: string }

/** A signed operation: what must be signed for this request (null: nothing), and the operation itself. */
export interface SignedHandler<E extends Endpoint> {
  /** `isSigned`: a signature came with the call and will be held against the request that this names. */
  authorize(op: Op, input: Input<E>, isSigned: boolean): Promise<Authorization | null>
  handle: Handler<E>
}

export type Implementation<E extends Endpoint> = E extends { signed: true } ? SignedHandler<E> : Handler<E>
