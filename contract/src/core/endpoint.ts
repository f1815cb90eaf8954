import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'

export const PERMISSIONS = ['VIEW', 'TRANSACT', 'MANAGE', 'APPROVE', 'REVIEW'] as const
export type Permission = (typeof PERMISSIONS)[number]

/** Includes implied permissions: a backend that moves money also decides pending approvals. */
export function effectivePermissions(given: readonly Permission[]): readonly Permission[] {
  return given.includes('TRANSACT') && !given.includes('APPROVE') ? [...given, 'APPROVE'] : given
}

/** The callers of an endpoint. There is no default: an endpoint without `auth` does not compile. */
export type Access =
  | {
      readonly auth: 'platform'
      readonly permission: Permission
      /** A permission that also suffices. */
      readonly orPermission?: Permission
      /** A further permission that some calls need. The handler decides which, by their effect. */
      readonly furtherPermission?: { readonly permission: Permission; readonly when: string }
      /** A customer's token with the permission may also make this call, for that customer's records. */
      readonly customerToken?: true
    }
  | {
      readonly auth: 'agent'
      /** A paused agent may also call it. For endpoints that change nothing. */
      readonly whilePaused?: boolean
    }
  /** A member of the platform, about itself, by its session cookie. Any permissions suffice. */
  | { readonly auth: 'member' }
  /** The body names the caller, or no caller is needed. */
  | { readonly auth: 'deviceCode' | 'public' }
  /**
   * Authenticated by the processor's signature over the body. Such an endpoint is not part of the API and not
   * below its base address.
   */
  | { readonly auth: 'cardProcessor' }
  /** Authenticated by the verification provider's signature over the body. Not part of the API either. */
  | { readonly auth: 'verificationProvider' }
  /**
   * Authenticated by the signature over the body that the rail in its path makes. Not part of the API either.
   */
  | { readonly auth: 'rail' }

/** The largest file of an upload. */
export interface Upload {
  readonly bytesMax: number
}

/** The media types of responses that are not JSON, by their names in the API. */
export const TEXT_TYPES = {
  csv: 'text/csv',
  html: 'text/html',
  plain: 'text/plain',
  xml: 'application/xml',
  ofx: 'application/x-ofx',
  sse: 'text/event-stream',
} as const
export type TextType = keyof typeof TEXT_TYPES

/** One endpoint of the API, declared as data. Routing, validation, OpenAPI and the sdk's types come from it. */
export type Endpoint = Access & {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /**
   * Relative to the base address, if the endpoint is part of the API; parameters in braces:
   * `/quotes/{quoteId}`.
   */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Exists in sandbox only: in production the route returns 404. */
  readonly sandboxOnly?: boolean
  /**
   * Takes the signed retry (specification 3.4): both headers are declared and the first call may return 202.
   */
  readonly signed?: boolean
  /**
   * Moves money held for a person to decide: its handler counts votes, and with `approvalsRequired` no API
   * token decides.
   */
  readonly movesHeldMoney?: true
  /** Changes nothing although it is not a GET: the audit trail leaves it out. */
  readonly changesNothing?: true
  /**
   * The effect of a signature without `Request-Id`. Default: 401 `REQUEST_ID_MISSING`.
   * - `executes`: the client holds the payload before it calls, and the payload names its request (executing
   *   a quote has no `Request-Id` on the wire).
   * - `ignored`: the call is a first one (specification 4.10).
   */
  readonly signatureAlone?: 'executes' | 'ignored'
  /** Takes an `Idempotency-Key`. `required`: requests without one return 400. */
  readonly idempotent?: boolean | 'required'
  /** The response holds a secret: it is stored sealed under its `Idempotency-Key`. */
  readonly isAnswerSecret?: boolean
  readonly params?: TObject
  readonly query?: TObject
  readonly body?: TSchema
  readonly bodyOptional?: boolean
  /** The largest body, if not `BODY_BYTES_MAX_DEFAULT`. */
  readonly bodyBytesMax?: number
  /**
   * The maximum number of fields and items of a body, at all levels together, if not
   * `BODY_MEMBERS_MAX_DEFAULT`.
   */
  readonly bodyMembersMax?: number
  /**
   * Takes a file: the body is `multipart/form-data`, `body` describes its text fields, and the file is the part `file`.
   */
  readonly upload?: Upload
  /** Success responses by status; `null` is a response without a body. */
  readonly responses: Readonly<Record<number, TSchema | null>>
  /**
   * The media types that a 200 response may have instead of JSON. If `responses` has `null` for 200, it
   * always has one of them.
   */
  readonly texts?: readonly TextType[]
  /**
   * Returns all rows of the list with the same name (`quote_csv` of `quote_list`) as a file named this. Needs
   * no handler.
   */
  readonly fileRows?: string
  /** The codes that the handler itself may raise. */
  readonly errors: readonly ErrorCode[]
}

/** True if the response continues until one side ends it: a stream of server-sent events. */
export function isStream({ texts }: Pick<Endpoint, 'texts'>): boolean {
  return texts?.includes('sse') ?? false
}

export const KIB = 1024
export const MIB = 1024 * KIB

/** The size limit of an upload without its file: text fields, part headers and boundaries. */
export const FORM_BYTES_MAX = 64 * KIB

/** The largest body of an endpoint that sets none. Those endpoints need less than half of it. */
export const BODY_BYTES_MAX_DEFAULT = 8 * KIB

/** The maximum number of fields and items in a body, if the endpoint sets none. */
export const BODY_MEMBERS_MAX_DEFAULT = 5_000

/** The largest body of a request to this endpoint; 413 `PAYLOAD_TOO_LARGE` for more. */
export function bodyBytesMaxOf({ bodyBytesMax, upload }: Pick<Endpoint, 'bodyBytesMax' | 'upload'>): number {
  return upload ? upload.bytesMax + FORM_BYTES_MAX : (bodyBytesMax ?? BODY_BYTES_MAX_DEFAULT)
}

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

/** A successful JSON response of an endpoint: a status of its declaration with that status's body. */
export type JsonAnswerOf<E extends Endpoint> = AnswerOf<E['responses']>

/** A successful response of an endpoint. A response that is not JSON is a string. */
export type SuccessOf<E extends Endpoint> = E extends { texts: readonly TextType[] }
  ? OrText<JsonAnswerOf<E>>
  : JsonAnswerOf<E>

type OrText<Answer> = Answer extends { status: 200; body: infer Body }
  ? { status: 200; body: Exclude<Body, undefined> | string }
  : Answer
