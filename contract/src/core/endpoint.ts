import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'

export const PERMISSIONS = ['VIEW', 'TRANSACT', 'MANAGE', 'APPROVE', 'REVIEW'] as const
export type Permission = (typeof PERMISSIONS)[number]

/** Adds implied permissions: a backend that may move money may also decide on pending approvals. */
export function listEffectivePermissions(given: readonly Permission[]): readonly Permission[] {
  return given.includes('TRANSACT') && !given.includes('APPROVE') ? [...given, 'APPROVE'] : given
}

/** The callers of an endpoint. There is no default, so an endpoint without `auth` does not compile. */
export type Access =
  | {
      readonly auth: 'platform'
      readonly permission: Permission
      /** An alternative permission that also suffices. */
      readonly orPermission?: Permission
      /**
       * Another permission that some calls need. The handler decides which calls, depending on their effect.
       */
      readonly furtherPermission?: { readonly permission: Permission; readonly when: string }
      /**
       * True if a customer token with the permission may also make this call, for that customer's records
       * only.
       */
      readonly customerToken?: true
    }
  | {
      readonly auth: 'agent'
      /** True if a paused agent may still call it. Only for endpoints that change nothing. */
      readonly whilePaused?: boolean
    }
  /** Called by a team member about themselves, with the session cookie. No permission is needed. */
  | { readonly auth: 'member' }
  /** The body identifies the caller, or anybody may call. */
  | { readonly auth: 'deviceCode' | 'public' }
  /**
   * Authenticated by the processor's signature over the body. Not part of the API, and not below its base
   * address.
   */
  | { readonly auth: 'cardProcessor' }
  /** Authenticated by the verification provider's signature over the body. Not part of the API either. */
  | { readonly auth: 'verificationProvider' }
  /**
   * Authenticated by a signature over the body, made by the rail named in the path. Not part of the API
   * either.
   */
  | { readonly auth: 'rail' }

/** Limits of a file upload. */
export interface Upload {
  readonly bytesMax: number
}

/** Media types of non-JSON responses, by their names in the API. */
export const TEXT_TYPES = {
  csv: 'text/csv',
  html: 'text/html',
  plain: 'text/plain',
  xml: 'application/xml',
  ofx: 'application/x-ofx',
  sse: 'text/event-stream',
} as const
export type TextType = keyof typeof TEXT_TYPES

/** An endpoint, declared as data. Routing, validation, OpenAPI and the sdk's types are derived from it. */
export type Endpoint = Access & {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /**
   * The path, with parameters in braces: `/quotes/{quoteId}`. Relative to the base address if the endpoint is
   * part of the API.
   */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Only available in a sandbox. In production the route returns 404. */
  readonly sandboxOnly?: boolean
  /**
   * Uses the signed retry (specification 3.4): both headers are declared, and the first call may return 202.
   */
  readonly signed?: boolean
  /**
   * Moves money that is held for a manual decision. The handler counts votes, and if `approvalsRequired` is
   * set, API tokens cannot decide.
   */
  readonly movesHeldMoney?: true
  /** Changes nothing although it is not a GET, so the audit trail does not record it. */
  readonly changesNothing?: true
  /**
   * The effect of a signature without `Request-Id`. Default: 401 `REQUEST_ID_MISSING`.
   * - `executes`: the client has the payload before it calls, and the payload identifies its request (on the
   *   wire, executing a quote has no `Request-Id`).
   * - `ignored`: the call is treated as a first call (specification 4.10).
   */
  readonly signatureAlone?: 'executes' | 'ignored'
  /** Takes an `Idempotency-Key`. With `required`, requests without one return 400. */
  readonly idempotent?: boolean | 'required'
  /** The response contains a secret, so it is stored sealed under its `Idempotency-Key`. */
  readonly isResponseSecret?: boolean
  readonly params?: TObject
  readonly query?: TObject
  readonly body?: TSchema
  readonly bodyOptional?: boolean
  /** Maximum body size. Default: `BODY_BYTES_MAX_DEFAULT`. */
  readonly bodyBytesMax?: number
  /**
   * Maximum number of fields and items in a body, counting all levels. Default: `BODY_MEMBERS_MAX_DEFAULT`.
   */
  readonly bodyMembersMax?: number
  /**
   * Takes a file upload: the request is `multipart/form-data`, `body` describes its text fields, and the part
   * `file` is the file.
   */
  readonly upload?: Upload
  /** Success responses by status. `null` means that there is no body. */
  readonly responses: Readonly<Record<number, TSchema | null>>
  /**
   * Media types that a 200 response may have instead of JSON. If `responses` has `null` for 200, the response
   * always has one of these.
   */
  readonly texts?: readonly TextType[]
  /**
   * Makes this endpoint return all rows of the list with the same name (`quote_list` for `quote_csv`) as a
   * file with this name. It needs no handler.
   */
  readonly fileRows?: string
  /** Error codes that the handler itself may raise. */
  readonly errors: readonly ErrorCode[]
}

/** True if the response is a stream of server-sent events, which stays open until one side closes it. */
export function isStream({ texts }: Pick<Endpoint, 'texts'>): boolean {
  return texts?.includes('sse') ?? false
}

export const KIB = 1024
export const MIB = 1024 * KIB

/** Maximum size of an upload without its file: text fields, part headers and boundaries. */
export const FORM_BYTES_MAX = 64 * KIB

/** Default maximum body size. Endpoints that use it need less than half of it. */
export const BODY_BYTES_MAX_DEFAULT = 8 * KIB

/** Default maximum number of fields and items in a body. */
export const BODY_MEMBERS_MAX_DEFAULT = 5_000

/** Maximum body size of an endpoint, including an upload. A larger body gets 413 `PAYLOAD_TOO_LARGE`. */
export function getBodyBytesMax({ bodyBytesMax, upload }: Pick<Endpoint, 'bodyBytesMax' | 'upload'>): number {
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

type DeclaredResponse<Responses> = {
  [S in keyof Responses & number]: {
    status: S
    body: Responses[S] extends TSchema ? Static<Responses[S]> : undefined
  }
}[keyof Responses & number]

/** A successful JSON response of an endpoint: a declared status and its body. */
export type JsonResponseOf<E extends Endpoint> = DeclaredResponse<E['responses']>

/** A successful response of an endpoint. A non-JSON response is a string. */
export type SuccessOf<E extends Endpoint> = E extends { texts: readonly TextType[] }
  ? OrText<JsonResponseOf<E>>
  : JsonResponseOf<E>

type OrText<Answer> = Answer extends { status: 200; body: infer Body }
  ? { status: 200; body: Exclude<Body, undefined> | string }
  : Answer
