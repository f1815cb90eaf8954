import type { API, EndpointName } from '@countersign/contract/api'
import type {
  BodyOf,
  Endpoint,
  ParamsOf,
  QueryOf,
  SuccessOf,
  Upload,
} from '@countersign/contract/core/endpoint'

/** The types of every call, taken from the contract. */
type Table = typeof API
type EndpointOf<N extends EndpointName> = Table[N]

/** A part of the input: absent where it has no members, optional where every member is optional. */
type Part<Name extends string, T> = [T] extends [undefined]
  ? unknown
  : undefined extends T
    ? { readonly [K in Name]?: T }
    : [keyof T] extends [never]
      ? unknown
      : Record<never, never> extends T
        ? { readonly [K in Name]?: T }
        : { readonly [K in Name]: T }

/** The options of every call. */
export interface CallOptions {
  /** The `Idempotency-Key`, 1 to 255 characters. Left out: generated where the endpoint takes one. */
  readonly idempotencyKey?: string
  /** `Svc-Wallet-Signature`: the stamp over the payload of an earlier 202 answer. */
  readonly signature?: string
  /** `Request-Id`: of that answer. */
  readonly requestId?: string
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** The file of an upload, beside its text fields in `body`. */
export interface FileInput {
  readonly file: Blob
  /** Without a path. Left out: the name of a `File`. */
  readonly fileName?: string
}

type BodyInputOf<E extends Endpoint> = E extends { upload: Upload }
  ? [BodyOf<E>] extends [undefined]
    ? FileInput
    : BodyOf<E> & FileInput
  : BodyOf<E>

type InputOf<E extends Endpoint> = Part<'params', ParamsOf<E>> &
  Part<'query', QueryOf<E>> &
  Part<'body', BodyInputOf<E>> &
  CallOptions

/** The input of the call `N`: `params`, `query` and `body` as the contract declares them, and `CallOptions`. */
export type Input<N extends EndpointName> = InputOf<EndpointOf<N>>

/** The body of the call `N`. */
export type BodyInput<N extends EndpointName> =
  Input<N> extends { readonly body?: infer Body } ? NonNullable<Body> : never

/** The query of the call `N`. */
export type QueryInput<N extends EndpointName> =
  Input<N> extends { readonly query?: infer Query } ? NonNullable<Query> : never

/** The success answers of the call `N`: `status` distinguishes them. Amounts (int64) are `bigint`. */
export type Answer<N extends EndpointName> = SuccessOf<EndpointOf<N>> & {
  /** Whether this is the stored answer to an earlier call with the same `Idempotency-Key` (`Idempotency-Replayed`). */
  readonly isReplayed: boolean
}

type WithoutInput = {
  [N in EndpointName]: Record<never, never> extends Input<N> ? N : never
}[EndpointName]

/** The arguments of a call. The input is optional where no member is required. */
export type Arguments<N extends EndpointName> = N extends WithoutInput
  ? [name: N, input?: Input<N>]
  : [name: N, input: Input<N>]

/**
 * What the helpers need to reach the API: `Client`, `Countersign`, or an app's own implementation through its backend.
 */
export interface Caller {
  call<N extends EndpointName>(...args: Arguments<N>): Promise<Answer<N>>
}

type OkBody<N extends EndpointName> = Extract<SuccessOf<EndpointOf<N>>, { status: 200 }>['body']

interface Paged {
  data: unknown[]
  hasMore: boolean
}

/** The calls whose answer is a paged list. */
export type PagedName = {
  [N in EndpointName]: [OkBody<N>] extends [never] ? never : OkBody<N> extends Paged ? N : never
}[EndpointName]

/** One record of the paged list `N`. */
export type ItemOf<N extends PagedName> =
  OkBody<N> extends { data: (infer Item)[]; hasMore: boolean } ? Item : never

/** The calls that take the signed retry (specification 3.4). */
export type SignedName = {
  [N in EndpointName]: EndpointOf<N> extends { signed: true } ? N : never
}[EndpointName]

/** The calls of an agent with its own token (specification 5.2). */
export type AgentCallName = {
  [N in EndpointName]: EndpointOf<N> extends { auth: 'agent' } ? N : never
}[EndpointName]
