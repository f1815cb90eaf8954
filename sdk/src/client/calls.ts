import type { Calls } from '../generated/types.ts'

/** Streaming calls, which `followEvents` reads. */
export type StreamName = 'event_stream'

/** The name of a call in the contract, such as `customer_create`. */
export type EndpointName = Exclude<keyof Calls, StreamName>

/** One part of the input: absent if it has no fields, optional if all of its fields are optional. */
type Part<Name extends string, T> = [T] extends [undefined]
  ? unknown
  : undefined extends T
    ? { readonly [K in Name]?: T }
    : [keyof T] extends [never]
      ? unknown
      : Record<never, never> extends T
        ? { readonly [K in Name]?: T }
        : { readonly [K in Name]: T }

/** Options accepted by every call. */
export interface CallOptions {
  /** The `Idempotency-Key`, 1 to 255 characters. Default: a generated key, if the endpoint uses keys. */
  readonly idempotencyKey?: string
  /** `Svc-Wallet-Signature`: the stamp over the payload from an earlier 202 response. */
  readonly signature?: string
  /** The `requestId` from that response, sent as `Request-Id`. */
  readonly requestId?: string
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Timeout of each attempt in milliseconds. Overrides the client's. */
  readonly timeoutMs?: number
  /**
   * Sandbox only: injects a fault into the first attempt, such as `lost-answer` or `error=503`
   * (`Svc-Sandbox-Fault`). Retries are not affected.
   */
  readonly sandboxFault?: string
}

/** The input of the call `N`: `params`, `query` and `body` as declared in the contract, and `CallOptions`. */
export type Input<N extends EndpointName> = Part<'params', Calls[N]['params']> &
  Part<'query', Calls[N]['query']> &
  Part<'body', Calls[N]['body']> &
  CallOptions

/** The body of the call `N`. */
export type BodyInput<N extends EndpointName> =
  Input<N> extends { readonly body?: infer Body } ? NonNullable<Body> : never

/** The query of the call `N`. */
export type QueryInput<N extends EndpointName> =
  Input<N> extends { readonly query?: infer Query } ? NonNullable<Query> : never

/** The success responses of the call `N`, distinguished by `status`. Amounts (int64) are `bigint`. */
export type Answer<N extends EndpointName> = Calls[N]['answer'] & {
  /**
   * True if this is the stored response of an earlier call with the same `Idempotency-Key`
   * (`Idempotency-Replayed`).
   */
  readonly isReplayed: boolean
}

/** The error codes that the call `N` can return. */
export type ErrorOf<N extends EndpointName> = Calls[N]['error']

type WithoutInput = {
  [N in EndpointName]: Record<never, never> extends Input<N> ? N : never
}[EndpointName]

/** The arguments of a call. The input may be omitted if it has no required field. */
export type Arguments<N extends EndpointName> = N extends WithoutInput
  ? [name: N, input?: Input<N>]
  : [name: N, input: Input<N>]

/**
 * Anything that can call the API: `Client`, `Countersign`, or an app's own implementation that goes through
 * its backend.
 */
export interface Caller {
  call<N extends EndpointName>(...args: Arguments<N>): Promise<Answer<N>>
}

/** A caller without static types for names and inputs, for helpers that look both up in tables. */
export interface AnyCaller {
  call(
    name: EndpointName | StreamName,
    input?: AnyInput,
  ): Promise<{ readonly status: number; readonly body: unknown }>
}

/** The input of any call, without endpoint-specific types. */
export interface AnyInput extends CallOptions {
  readonly params?: object | undefined
  readonly query?: object | undefined
  readonly body?: unknown
}

type OkBody<N extends EndpointName> = Extract<Calls[N]['answer'], { status: 200 }>['body']

interface PageBody {
  data: unknown[]
  hasMore: boolean
}

/** The calls that return a paginated list. */
export type PagedName = {
  [N in EndpointName]: [OkBody<N>] extends [never] ? never : OkBody<N> extends PageBody ? N : never
}[EndpointName]

/** The type of one record in the list `N`. */
export type ItemOf<N extends EndpointName> = OkBody<N> extends { data: (infer Item)[] } ? Item : never

/** The calls that use the signed retry (specification 3.4). */
export type SignedName = {
  [N in EndpointName]: Calls[N]['signed'] extends true ? N : never
}[EndpointName]

/** The calls available to an agent with its own token (specification 5.2). */
export type AgentCallName = {
  [N in EndpointName]: Calls[N]['auth'] extends 'agent' ? N : never
}[EndpointName]
