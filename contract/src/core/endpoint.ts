import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'

export const PERMISSIONS = ['VIEW', 'TRANSACT', 'MANAGE', 'APPROVE', 'REVIEW'] as const
export type Permission = (typeof PERMISSIONS)[number]

/** What somebody may do who was given these: a backend that moves money also decides what waits for a person. */
export function effectivePermissions(given: readonly Permission[]): readonly Permission[] {
  return given.includes('TRANSACT') && !given.includes('APPROVE') ? [...given, 'APPROVE'] : given
}

/** Who may call an endpoint. There is no default: an endpoint without `auth` does not compile. */
export type Access =
  | {
      readonly auth: 'platform'
      readonly permission: Permission
      /** A permission that is as good as that one. */
      readonly orPermission?: Permission
      /** A permission that some calls need as well. The handler decides which, by their effect. */
      readonly furtherPermission?: { readonly permission: Permission; readonly when: string }
      /** A customer's token with the permission may make this call too, for that customer's records. */
      readonly customerToken?: true
    }
  | {
      readonly auth: 'agent'
      /** Also answers a paused agent. For endpoints that change nothing. */
      readonly whilePaused?: boolean
    }
  /** A member of the platform by the cookie of its session, about itself. Any permissions will do. */
  | { readonly auth: 'member' }
  /** The body names the caller, or nobody is needed. */
  | { readonly auth: 'deviceCode' | 'public' }
  /**
   * By the processor's signature over the body. Such an endpoint is not part of the API and not below its base address.
   */
  | { readonly auth: 'cardProcessor' }
  /** By the verification provider's signature over the body. Like the one above. */
  | { readonly auth: 'verificationProvider' }
  /** By the signature of the rail in its path over the body. Like the two above. */
  | { readonly auth: 'rail' }

/** The largest file of an upload. */
export interface Upload {
  readonly bytesMax: number
}

/** The texts that may be answered in place of JSON, by their names in the API, as HTTP names them. */
export const TEXT_TYPES = { csv: 'text/csv', html: 'text/html', sse: 'text/event-stream' } as const
export type TextType = keyof typeof TEXT_TYPES

/** One endpoint of the API, declared as data. Routing, validation, OpenAPI and the sdk's types come from it. */
export type Endpoint = Access & {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the base address, where the endpoint is part of the API; parameters in braces: `/quotes/{quoteId}`. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Exists in sandbox only: in production the route answers 404. */
  readonly sandboxOnly?: boolean
  /**
   * Takes the signed retry (specification 3.4): both headers are declared and the first call may answer 202.
   */
  readonly signed?: boolean
  /** Moves money that is held for a person to decide: its handler counts votes, and with `approvalsRequired` no API token decides. */
  readonly movesHeldMoney?: true
  /** Only asks, although it is no GET: the audit trail leaves it out. */
  readonly changesNothing?: true
  /**
   * What a signature without `Request-Id` does. Left out: it is refused with 401 `REQUEST_ID_MISSING`. `executes`: the
   * client holds the payload before it calls, and that names its request (the wire facts of executing a quote have no
   * `Request-Id`). `ignored`: the call is a first one (specification 4.10).
   */
  readonly signatureAlone?: 'executes' | 'ignored'
  /** Takes an `Idempotency-Key`. `required`: is refused with 400 without one. */
  readonly idempotent?: boolean | 'required'
  /** The answer holds a secret: with its `Idempotency-Key` it is kept sealed. */
  readonly isAnswerSecret?: boolean
  readonly params?: TObject
  readonly query?: TObject
  readonly body?: TSchema
  readonly bodyOptional?: boolean
  /** The largest body, where that is not `BODY_BYTES_MAX_DEFAULT`. */
  readonly bodyBytesMax?: number
  /** The most fields and items of a body, at all levels together, if not `BODY_MEMBERS_MAX_DEFAULT`. */
  readonly bodyMembersMax?: number
  /**
   * Takes a file: the body is `multipart/form-data`, `body` describes its text fields, and the file is the part `file`.
   */
  readonly upload?: Upload
  /** Success answers by status; `null` is an answer without a body. */
  readonly responses: Readonly<Record<number, TSchema | null>>
  /** The texts that a 200 answer may be in place of JSON. Where `responses` has `null` for 200, it is always one of them. */
  readonly texts?: readonly TextType[]
  /** The codes that the handler itself may raise. */
  readonly errors: readonly ErrorCode[]
}

/** Whether the answer goes on until one side ends it: a stream of server-sent events. */
export function isStream({ texts }: Pick<Endpoint, 'texts'>): boolean {
  return texts?.includes('sse') ?? false
}

export const KIB = 1024
export const MIB = 1024 * KIB

/** What the text fields of an upload, the headers of its parts and its boundaries may take beside the file. */
export const FORM_BYTES_MAX = 64 * KIB

/** The largest body of an endpoint that sets none. Those endpoints need less than half of it. */
export const BODY_BYTES_MAX_DEFAULT = 8 * KIB

/** The most fields and items of a body of an endpoint that sets none. */
export const BODY_MEMBERS_MAX_DEFAULT = 5_000

/** The largest body of a request to this endpoint; 413 `PAYLOAD_TOO_LARGE` for more. */
export function bodyBytesMaxOf({ bodyBytesMax, upload }: Pick<Endpoint, 'bodyBytesMax' | 'upload'>): number {
  return upload ? upload.bytesMax + FORM_BYTES_MAX : (bodyBytesMax ?? BODY_BYTES_MAX_DEFAULT)
}

/** Whether requests to this endpoint have a body. */
export function takesBody({ body, upload }: Pick<Endpoint, 'body' | 'upload'>): boolean {
  return body !== undefined || upload !== undefined
}

/** Declares an endpoint, keeping its exact type. */
export function endpoint<const E extends Endpoint>(declaration: E): E {
  return declaration
}

type StaticOr<T, Fallback> = T extends TSchema ? Static<T> : Fallback

export type ParamsOf<E extends Endpoint> = StaticOr<E['params'], Record<never, never>>
export type QueryOf<E extends Endpoint> = StaticOr<E['query'], Record<never, never>>
export type BodyOf<E extends Endpoint> = E extends { bodyOptional: true }
  ? StaticOr<E['body'], undefined> | undefined
  : StaticOr<E['body'], undefined>
export type ErrorOf<E extends Endpoint> = E['errors'][number]

type AnswerOf<Responses> = {
  [S in keyof Responses & number]: {
    status: S
    body: Responses[S] extends TSchema ? Static<Responses[S]> : undefined
  }
}[keyof Responses & number]

/** What an endpoint may answer as JSON on success: a status of its declaration with that status's body. */
export type JsonAnswerOf<E extends Endpoint> = AnswerOf<E['responses']>

/** What an endpoint may answer on success. A text in place of JSON is a string. */
export type SuccessOf<E extends Endpoint> = E extends { texts: readonly TextType[] }
  ? OrText<JsonAnswerOf<E>>
  : JsonAnswerOf<E>

type OrText<Answer> = Answer extends { status: 200; body: infer Body }
  ? { status: 200; body: Exclude<Body, undefined> | string }
  : Answer
