import type { BodyOf, Endpoint, ParamsOf, QueryOf, SuccessOf } from '@countersign/contract/core/endpoint'
import { ERRORS, type ErrorCode } from '@countersign/contract/core/errors'
import type { AuthMethodTypeName } from '@countersign/contract/core/signed-retry'
import type { Statement } from '@countersign/contract/signing/payloads'
import type { TSchema } from 'typebox'
import type { Write } from '../db/commit/writes.ts'
import type { Lookup } from '../db/read/lookup.ts'
import type { BarePlatformRow } from '../db/schema/tables.ts'
import type { Actor, Op } from './app.ts'

/** A refusal that the caller is told of: a code of the error table, the field or reason, and details. */
export class ApiError extends Error {
  readonly code: ErrorCode
  /** 401 only: which check failed. */
  readonly reason: string | undefined
  readonly details: Readonly<Record<string, unknown>> | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  /** What is written although the request is refused. */
  readonly writes: readonly Write[]

  constructor(
    code: ErrorCode,
    options: {
      message?: string
      reason?: string
      details?: Readonly<Record<string, unknown>>
      headers?: Readonly<Record<string, string>>
      writes?: readonly Write[]
    } = {},
  ) {
    super(options.message ?? ERRORS[code].message)
    this.code = code
    this.reason = options.reason
    this.details = options.details
    this.headers = options.headers
    this.writes = options.writes ?? []
  }
}

/**
 * The reads of an operation are not one snapshot. This is thrown where they contradict each other, because another
 * operation was committed between them; it means what a failed guard means: decide again, from fresh reads.
 */
export class StaleRead extends Error {}

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
  /** The session that signed, and the credential that issued it. Neither where the key alone was asked for. */
  readonly session:
    | { readonly id: string; readonly credentialId: string; readonly areCodesLocked: boolean }
    | undefined
  readonly publicKey: string
  /** What the first call put aside for the second. */
  readonly context: Readonly<Record<string, unknown>>
}

/** The answer, and what must be written for it to be true. */
export type Outcome<E extends Endpoint> = SuccessOf<E> & { readonly writes?: readonly Write[] }

export type Handler<E extends Endpoint> = (op: Op, input: Input<E>) => Promise<Outcome<E>>

/** A call that is authorized by a signature: what was sent, where. The retry must be the same. */
export interface SignedCall {
  /** The endpoint's name in the contract. */
  readonly operation: string
  /** Method and path as sent, `POST /quotes/Quote:…/execute`. */
  readonly target: string
  readonly body: unknown
}

/** What must be signed before an operation is done (specification 3.4). */
export type Authorization =
  | {
      readonly accountId: string
      /** What is being authorized, all of it; the pipeline adds account, call, body hash, request id and expiry. */
      readonly statement: Statement
      /** What the first call puts aside for the second. */
      readonly context?: Readonly<Record<string, unknown>>
      readonly expiresAt: Date
      /** The kind of credential of the flow; left out, that of the wallet's first (specification 2.3). */
      readonly credentialType?: AuthMethodTypeName
    }
  | {
      readonly accountId: string
      /** An exact payload, to be signed by this key instead of a session's. */
      readonly payload: string
      readonly signerPublicKey: string
      readonly context: Readonly<Record<string, unknown>>
      readonly expiresAt: Date
      readonly credentialType: AuthMethodTypeName
    }
  | { readonly requestId: string }

/** A signed operation: what must be signed for this request (null: nothing), and the operation itself. */
export interface SignedHandler<E extends Endpoint> {
  /** The call that a signature is for, where it is another one than this: a quote is signed for wherever it is executed. */
  signedAs?(op: Op, input: Input<E>): Promise<SignedCall | undefined>
  /** `isSigned`: a signature came with the call and will be held against the request that this names. */
  authorize(op: Op, input: Input<E>, isSigned: boolean): Promise<Authorization | null>
  /** Whether this body answers its request by a proof of its own instead of a stamp, and how that is checked. */
  prove?(op: Op, input: Input<E>): Promise<Prove | undefined>
  handle: Handler<E>
}

/** Checks a proof against what its request put aside; gives what the handler is to know. Throws where it fails. */
export type Prove = (request: {
  readonly id: string
  readonly payload: string
  readonly context: Readonly<Record<string, unknown>>
}) => Promise<Readonly<Record<string, unknown>>>

/** Who calls, and the platform that all of the call is about. */
export interface Caller {
  readonly platform: BarePlatformRow
  readonly actor: Actor
}

/** An operation that keeps its answer itself, under a key that it makes of its input. */
export interface OnceOnly<E extends Endpoint> {
  /** The answer that was kept, if there is one: then nothing is done. */
  replay(op: Op, input: Input<E>): Promise<SuccessOf<E> | undefined>
  /** `isLate()`: whoever called has stopped waiting. */
  handle(op: Op, input: Input<E>, isLate: () => boolean): Promise<OnceOnlyOutcome<E>>
}

export type OnceOnlyOutcome<E extends Endpoint> = Outcome<E> & {
  /** This very run did what is to be taken back where its answer comes too late. */
  readonly isToBeTakenBack?: boolean
}

/** What the processor of cards asks and tells: each event once, a repeated one is answered as before. */
export interface ProcessorHandler<E extends Endpoint> extends OnceOnly<E> {
  /** Whose event it is, by what its body names. Throws where that is nobody's. */
  whose(lookup: Lookup, input: Input<E>): Promise<Caller>
  /** What is answered when the processor stops waiting, and how is taken back what is done after that; undefined: it waits. */
  timeout(input: Input<E>): { readonly answer: SuccessOf<E>; readonly takeBack: OnceOnly<E> } | undefined
}

export type Implementation<E extends Endpoint> = E extends { auth: 'cardProcessor' }
  ? ProcessorHandler<E>
  : E extends { signed: true }
    ? SignedHandler<E>
    : Handler<E>

/** Any endpoint whose answers have a body. */
export type AnsweringEndpoint = Endpoint & { readonly responses: Readonly<Record<number, TSchema>> }

/** What implements any endpoint, for who does not know which. */
export type AnyImplementation =
  | Handler<Endpoint>
  | SignedHandler<Endpoint>
  | ProcessorHandler<AnsweringEndpoint>

/** What implements the endpoints of a noun: each under its name in the contract. */
export type Handlers<Endpoints extends Readonly<Record<string, Endpoint>>> = {
  readonly [Name in keyof Endpoints]: Implementation<Endpoints[Name]>
}
