import type {
  BodyOf,
  Endpoint,
  JsonAnswerOf,
  ParamsOf,
  QueryOf,
  SuccessOf,
  TextType,
  Upload,
} from '@countersign/contract/core/endpoint'
import { type DetailAmount, type DetailCode, ERRORS, type ErrorCode } from '@countersign/contract/core/errors'
import type { AuthMethodTypeName } from '@countersign/contract/core/signed-retry'
import type { Statement } from '@countersign/contract/signing/payloads'
import type { TSchema } from 'typebox'
import type { Write } from '../../storage/commit/writes.ts'
import type { BarePlatformRow } from '../../storage/rows/tables.ts'
import type { Actor, App, Op, RequestOrigin } from './app.ts'
import type { UploadedFile } from './uploaded-file.ts'

/** The details of an error for a program: amounts are exact, and in the smallest unit of `currency`. */
export type ErrorDetails = Readonly<Record<string, unknown>> & { readonly code?: DetailCode } & {
  readonly [Name in DetailAmount]?: bigint
}

/** A refusal for the caller: a code of the error table, the field or reason, and details. */
export class ApiError extends Error {
  readonly code: ErrorCode
  /** 401 only: which check failed. */
  readonly reason: string | undefined
  readonly details: ErrorDetails | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  /** Writes that are committed although the request is refused. */
  readonly writes: readonly Write[]

  constructor(
    code: ErrorCode,
    options: {
      message?: string
      reason?: string
      details?: ErrorDetails
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
 * Thrown where the reads of an operation contradict each other, because another operation was committed between them:
 * they are not one snapshot. It has the effect of a failed guard: the operation runs again from its reads.
 */
export class StaleRead extends Error {}

/** A refusal that names a field of the request. */
export function fieldError(code: ErrorCode, field: string, message: string): ApiError {
  return new ApiError(code, { message, details: { field } })
}

/** The input of a handler: parsed, validated and typed. Never headers. */
export type Input<E extends Endpoint> = InputParts<E> &
  // A second run of the handler gets the same file.
  (E extends { upload: Upload } ? { readonly file: UploadedFile } : unknown)

interface InputParts<E extends Endpoint> {
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
  /** The session that signed, and the credential that issued it. Absent where only a key was required. */
  readonly session:
    | { readonly id: string; readonly credentialId: string; readonly areCodesLocked: boolean }
    | undefined
  readonly publicKey: string
  /** The signature as it was sent; undefined for a proof of another kind. */
  readonly stamp: string | undefined
  /** Data that the first call stored for the second. */
  readonly context: Readonly<Record<string, unknown>>
}

/** The answer, and the writes that make it true. */
export type Outcome<E extends Endpoint> = (JsonAnswerOf<E> | TextOutcome<E>) & {
  readonly writes?: readonly Write[]
  /** The session of a member that begins, by the secret of its cookie, or that ends. */
  readonly cookie?: { readonly secret: string } | 'none'
}

/** An answer that is a text in place of JSON. */
type TextOutcome<E extends Endpoint> = E extends { texts: readonly (infer Type extends TextType)[] }
  ? { readonly status: 200; readonly text: AnswerText<Type> }
  : never

/** A text that is sent piece by piece, as it is made. */
export interface AnswerText<Type extends TextType = TextType> {
  readonly type: Type
  /** The name of the file, for a text that is to be saved. */
  readonly fileName?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly pieces: AsyncIterable<string> | Iterable<string>
}

export type Handler<E extends Endpoint> = (op: Op, input: Input<E>) => Promise<Outcome<E>>

/** A call that a signature authorizes: its target and its body. The retry must be the same. */
export interface SignedCall {
  /** The endpoint's name in the contract. */
  readonly operation: string
  /** Method and path as sent, `POST /quotes/Quote:…/execute`. */
  readonly target: string
  readonly body: unknown
}

/** What must be signed before an operation is executed (specification 3.4). */
export type ToSign =
  | {
      readonly accountId: string
      /** Everything that is authorized. The pipeline adds account, call, body hash, request id and expiry. */
      readonly statement: Statement
      /** Data that the first call stores for the second. */
      readonly context?: Readonly<Record<string, unknown>>
      readonly expiresAt: Date
      /** The kind of credential of the flow. Left out: that of the wallet's first (specification 2.3). */
      readonly credentialType?: AuthMethodTypeName
    }
  | {
      readonly accountId: string
      /** An exact payload, to be signed by this key in place of a session's. */
      readonly payload: string
      readonly signerPublicKey: string
      readonly context: Readonly<Record<string, unknown>>
      readonly expiresAt: Date
      readonly credentialType: AuthMethodTypeName
    }
  | { readonly requestId: string }

/** A signed operation: what must be signed for this request (null: nothing), and the operation itself. */
export interface SignedHandler<E extends Endpoint> {
  /**
   * The call that the signature is for, where that is not this one: a quote's signature is valid for every call that
   * executes it.
   */
  signedAs?(op: Op, input: Input<E>): Promise<SignedCall | undefined>
  /** `isSigned`: the call carries a signature, which will be checked against the request that this names. */
  toSign(op: Op, input: Input<E>, isSigned: boolean): Promise<ToSign | null>
  /** Whether this body carries its own proof in place of a stamp, and how that is checked. */
  prove?(op: Op, input: Input<E>): Promise<Prove | undefined>
  handle: Handler<E>
}

/**
 * Checks a proof against the data that its request stored. Returns data for the handler. Throws where the check fails.
 */
export type Prove = (request: {
  readonly id: string
  readonly payload: string
  readonly context: Readonly<Record<string, unknown>>
}) => Promise<Readonly<Record<string, unknown>>>

/** The caller, and the platform of the whole call. */
export interface Caller {
  readonly platform: BarePlatformRow
  readonly actor: Actor
}

/** An operation whose caller is known by the body alone. */
export interface PublicHandler<E extends Endpoint> {
  /** The caller and the platform of a call, by its body; or the answer itself, where it is of no platform. */
  who(app: App, input: Input<E>, from: RequestOrigin): Promise<Caller | SuccessOf<E>>
  /** Names the credential in the body, for which failures are counted. Absent: the call proves nothing. */
  tried?(input: Input<E>): string
  readonly handle: Handler<E>
}

/** An operation that stores its answer itself, under a key that it derives from its input. */
export interface OnceOnly<E extends Endpoint> {
  /** The stored answer, if there is one: nothing else is done then. */
  replay(op: Op, input: Input<E>): Promise<SuccessOf<E> | undefined>
  /** `isLate()`: the caller has stopped waiting. */
  handle(op: Op, input: Input<E>, isLate: () => boolean): Promise<OnceOnlyOutcome<E>>
}

export type OnceOnlyOutcome<E extends Endpoint> = Outcome<E> & {
  /** Whether this run made the change that is reverted if its answer comes too late. */
  readonly isToBeTakenBack?: boolean
}

/**
 * An operation of the card processor, the verification provider or a rail. Each event is processed once; a repeated one gets the
 * same answer.
 */
export interface ProcessorHandler<E extends Endpoint> extends OnceOnly<E> {
  /** The platform of an event, by the ids in its body or its path. Throws where there is none. */
  whose(server: Pick<App, 'lookup' | 'rails'>, input: Input<E>): Promise<Caller>
  /** The answer at the processor's deadline, and how a change after it is reverted. Undefined: no deadline. */
  timeout(input: Input<E>): { readonly answer: SuccessOf<E>; readonly takeBack: OnceOnly<E> } | undefined
}

export type Implementation<E extends Endpoint> = E extends {
  auth: 'cardProcessor' | 'verificationProvider' | 'rail'
}
  ? ProcessorHandler<E>
  : E extends { auth: 'public' }
    ? PublicHandler<E>
    : E extends { signed: true }
      ? SignedHandler<E>
      : Handler<E>

/** Any endpoint whose answers have a body. */
export type AnsweringEndpoint = Endpoint & { readonly responses: Readonly<Record<number, TSchema>> }

/** The implementation of any endpoint. */
export type AnyImplementation =
  | Handler<Endpoint>
  | SignedHandler<Endpoint>
  | PublicHandler<Endpoint>
  | ProcessorHandler<AnsweringEndpoint>

/** The implementations of the endpoints of a noun, by their names in the contract. */
export type Handlers<Endpoints extends Readonly<Record<string, Endpoint>>> = {
  readonly [Name in keyof Endpoints]: Implementation<Endpoints[Name]>
}

/** The implementation of an endpoint that is found by its name, as the pipeline takes it. */
export function implementationOf<Endpoints extends Readonly<Record<string, Endpoint>>>(
  handlers: Handlers<Endpoints>,
  name: keyof Endpoints,
): AnyImplementation {
  return handlers[name]
}
