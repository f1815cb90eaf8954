import type {
  BodyOf,
  Endpoint,
  JsonResponseOf,
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

/** Error details for programs. Amounts are exact, in the smallest unit of `currency`. */
export type ErrorDetails = Readonly<Record<string, unknown>> & { readonly code?: DetailCode } & {
  readonly [Name in DetailAmount]?: bigint
}

/** An error response: a code of the error table, with the field or reason and details. */
export class ApiError extends Error {
  readonly code: ErrorCode
  /** For 401 responses: the check that failed. */
  readonly reason: string | undefined
  readonly details: ErrorDetails | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  /** Writes committed even though the request is refused. */
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
 * The reads of an operation contradict each other because another operation was committed in between. Like
 * after a failed guard, the operation runs again from its reads.
 */
export class StaleRead extends Error {}

/** Creates an error that names a field of the request. */
export function createFieldError(code: ErrorCode, field: string, message: string): ApiError {
  return new ApiError(code, { message, details: { field } })
}

/** The input of a handler: parsed, validated and typed. It never contains headers. */
export type Input<E extends Endpoint> = InputParts<E> &
  // A retry of the handler gets the same file.
  (E extends { upload: Upload } ? { readonly file: UploadedFile } : unknown)

interface InputParts<E extends Endpoint> {
  readonly params: ParamsOf<E>
  readonly query: QueryOf<E>
  readonly body: BodyOf<E>
  /** Present if this is the signed retry of a signed endpoint. Its signature has been checked. */
  readonly approval?: Approval
}

/** A verified signing request, which is consumed with the operation. */
export interface Approval {
  readonly requestId: string
  readonly accountId: string
  /** The session that signed, and the credential that created it. Absent if only a key was required. */
  readonly session:
    | { readonly id: string; readonly credentialId: string; readonly areCodesLocked: boolean }
    | undefined
  readonly publicKey: string
  /** The signature as sent. Undefined for other kinds of proof. */
  readonly stamp: string | undefined
  /** Data stored by the first call for the retry. */
  readonly context: Readonly<Record<string, unknown>>
}

/** A response, and the writes that must be committed with it. */
export type Outcome<E extends Endpoint> = (JsonResponseOf<E> | TextOutcome<E>) & {
  readonly writes?: readonly Write[]
  /** The secret of a team member's new session, for the cookie, or `none` to end the session. */
  readonly cookie?: { readonly secret: string } | 'none'
}

/** A response with text instead of JSON. If the endpoint is not known, its response may be of either kind. */
type TextOutcome<E extends Endpoint> = Endpoint extends E
  ? { readonly status: 200; readonly text: TextBody }
  : DeclaredText<E>

type DeclaredText<E extends Endpoint> = E extends { texts: readonly (infer Type extends TextType)[] }
  ? { readonly status: 200; readonly text: TextBody<Type> }
  : never

/** The JSON body of a response; undefined if the response has no body, or if it is text. */
export function getBody(outcome: Outcome<Endpoint>): unknown {
  return 'body' in outcome ? outcome.body : undefined
}

/** A response body sent while it is produced. */
export interface TextBody<Type extends TextType = TextType> {
  readonly type: Type
  /** The file name, if the response is a download. */
  readonly fileName?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly pieces: AsyncIterable<string> | Iterable<string>
}

export type Handler<E extends Endpoint> = (op: Op, input: Input<E>) => Promise<Outcome<E>>

/** A call that needs a signature, identified by its target and body. The retry must be identical. */
export interface SignedCall {
  readonly operation: string
  /** Method and path as sent, such as `POST /quotes/Quote:…/execute`. */
  readonly target: string
  readonly body: unknown
}

/** The signature that an operation requires (specification 3.4). */
export type ToSign =
  | {
      readonly accountId: string
      /** Everything to be authorized. The pipeline adds account, call, body hash, request id and expiry. */
      readonly statement: Statement
      /** Data stored by the first call for the retry. */
      readonly context?: Readonly<Record<string, unknown>>
      readonly expiresAt: Date
      /**
       * The kind of credential to use. Defaults to the kind of the wallet's first credential (specification
       * 2.3).
       */
      readonly credentialType?: AuthMethodTypeName
    }
  | {
      readonly accountId: string
      /** An exact payload to be signed by this key instead of a session's key. */
      readonly payload: string
      readonly signerPublicKey: string
      readonly context: Readonly<Record<string, unknown>>
      readonly expiresAt: Date
      readonly credentialType: AuthMethodTypeName
    }
  | { readonly requestId: string }

/** A signed operation: the signature that a request requires (null if none), and the operation itself. */
export interface SignedHandler<E extends Endpoint> {
  /**
   * The call that the signature covers, if it is not this one. A quote's signature is valid for every call
   * that executes the quote.
   */
  findSignedCall?(op: Op, input: Input<E>): Promise<SignedCall | undefined>
  /**
   * `isSigned` is true if the call carries a signature, which will be checked against the returned request.
   */
  toSign(op: Op, input: Input<E>, isSigned: boolean): Promise<ToSign | null>
  /**
   * Returns a check for a proof in the body that replaces the signature. Undefined if the body has no proof.
   */
  prove?(op: Op, input: Input<E>): Promise<Prove | undefined>
  handle: Handler<E>
}

/**
 * Checks a proof against the data stored with its request. Returns data for the handler. Throws if the check
 * fails.
 */
export type Prove = (request: {
  readonly id: string
  readonly payload: string
  readonly context: Readonly<Record<string, unknown>>
}) => Promise<Readonly<Record<string, unknown>>>

/** The caller, and the platform for the whole call. */
export interface Caller {
  readonly platform: BarePlatformRow
  readonly actor: Actor
}

/** An operation whose caller is identified only by the body. */
export interface PublicHandler<E extends Endpoint> {
  /**
   * Identifies the caller and platform of a call from its body. If the call has no platform, returns the
   * response instead.
   */
  resolveCaller(app: App, input: Input<E>, from: RequestOrigin): Promise<Caller | SuccessOf<E>>
  /** The credential in the body for which failed attempts are counted. Absent if the call proves nothing. */
  nameCredential?(input: Input<E>): string
  readonly handle: Handler<E>
}

/** An operation that stores its own response, under a key derived from its input. */
export interface IdempotentOperation<E extends Endpoint> {
  /** Returns the stored response, if any; the operation then does not run. */
  replay(op: Op, input: Input<E>): Promise<SuccessOf<E> | undefined>
  /** `isLate()` is true once the caller has stopped waiting. */
  handle(op: Op, input: Input<E>, isLate: () => boolean): Promise<IdempotentOutcome<E>>
}

export type IdempotentOutcome<E extends Endpoint> = Outcome<E> & {
  /** True if this run made the change. The change is reverted if its response comes too late. */
  readonly isRevertible?: boolean
}

/**
 * An operation called by the card processor, the verification provider or a rail. Each event is processed
 * once, and a repeated one gets the same response.
 */
export interface ProcessorHandler<E extends Endpoint> extends IdempotentOperation<E> {
  /**
   * Identifies the platform of an event from the ids in its body or path. Throws if the event has no
   * platform.
   */
  resolvePlatform(server: Pick<App, 'lookup' | 'rails'>, input: Input<E>): Promise<Caller>
  /**
   * The response at the processor's deadline, and how to revert a change made after it. Undefined if there is
   * no deadline.
   */
  timeout(
    input: Input<E>,
  ): { readonly answer: SuccessOf<E>; readonly takeBack: IdempotentOperation<E> } | undefined
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

/** Any endpoint whose responses have a body. */
export type EndpointWithResponseBody = Endpoint & { readonly responses: Readonly<Record<number, TSchema>> }

/** The implementation of any endpoint. */
export type AnyImplementation =
  | Handler<Endpoint>
  | SignedHandler<Endpoint>
  | PublicHandler<Endpoint>
  | ProcessorHandler<EndpointWithResponseBody>

/** The implementations of a noun's endpoints, by their contract name. CSV files of lists need none. */
export type Handlers<Endpoints extends Readonly<Record<string, Endpoint>>> = {
  readonly [Name in keyof Endpoints as Endpoints[Name] extends { fileRows: string }
    ? never
    : Name]: Implementation<Endpoints[Name]>
}

/** Returns the implementation of an endpoint by name, in the form that the pipeline expects. */
export function findImplementation<Endpoints extends Readonly<Record<string, Endpoint>>>(
  handlers: Handlers<Endpoints>,
  name: keyof Handlers<Endpoints>,
): AnyImplementation {
  return handlers[name]
}
