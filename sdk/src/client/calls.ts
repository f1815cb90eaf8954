import type { Calls } from '../generated/types.ts'

/** The streaming calls: `followEvents` reads them. */
export type StreamName = 'event_stream'

/** The name of a call in the contract: `customer_create`. */
export type EndpointName = Exclude<keyof Calls, StreamName>

/** A part of the input: absent if it has no fields, optional if every field is optional. */
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
  /** The `Idempotency-Key`, 1 to 255 characters. Default: generated if the endpoint takes one. */
  readonly idempotencyKey?: string
  /** `Svc-Wallet-Signature`: the stamp over the payload of an earlier 202 response. */
  readonly signature?: string
  /** `Request-Id` of that response. */
  readonly requestId?: string
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Timeout per attempt at this call in milliseconds, in place of the client's. */
  readonly timeoutMs?: number
  /**
   * Sandbox: the fault at this call's first attempt, `lost-answer` or `error=503` for example
   * (`Svc-Sandbox-Fault`). Further attempts have no fault.
   */
  readonly sandboxFault?: string
}

/** The input of the call `N`: `params`, `query` and `body` as the contract declares them, and `CallOptions`. */
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

/** The success responses of the call `N`: `status` distinguishes them. Amounts (int64) are `bigint`. */
export type Answer<N extends EndpointName> = Calls[N]['answer'] & {
  /**
   * True for the stored response to an earlier call with the same `Idempotency-Key` (`Idempotency-Replayed`).
   */
  readonly isReplayed: boolean
}

/** The error codes of the call `N`. */
export type ErrorOf<N extends EndpointName> = Calls[N]['error']

type WithoutInput = {
  [N in EndpointName]: Record<never, never> extends Input<N> ? N : never
}[EndpointName]

/** The arguments of a call. The input is optional if no field is required. */
export type Arguments<N extends EndpointName> = N extends WithoutInput
  ? [name: N, input?: Input<N>]
  : [name: N, input: Input<N>]

/**
 * The connection of the helpers to the API: `Client`, `Countersign`, or an app's own implementation through
 * its backend.
 */
export interface Caller {
  call<N extends EndpointName>(...args: Arguments<N>): Promise<Answer<N>>
}

/** A caller with untyped names and inputs, for helpers that read both from tables. */
export interface AnyCaller {
  call(
    name: EndpointName | StreamName,
    input?: AnyInput,
  ): Promise<{ readonly status: number; readonly body: unknown }>
}

/** The input of any call, without its endpoint's types. */
export interface AnyInput extends CallOptions {
  readonly params?: object | undefined
  readonly query?: object | undefined
  readonly body?: unknown
}

type OkBody<N extends EndpointName> = Extract<Calls[N]['answer'], { status: 200 }>['body']

interface Paged {
  data: unknown[]
  hasMore: boolean
}

/** The calls whose response is a paged list. */
export type PagedName = {
  [N in EndpointName]: [OkBody<N>] extends [never] ? never : OkBody<N> extends Paged ? N : never
}[EndpointName]

/** One record of the list `N`. */
export type ItemOf<N extends EndpointName> = OkBody<N> extends { data: (infer Item)[] } ? Item : never

/** The calls that take the signed retry (specification 3.4). */
export type SignedName = {
  [N in EndpointName]: Calls[N]['signed'] extends true ? N : never
}[EndpointName]

/** The calls of an agent with its own token (specification 5.2). */
export type AgentCallName = {
  [N in EndpointName]: Calls[N]['auth'] extends 'agent' ? N : never
}[EndpointName]
