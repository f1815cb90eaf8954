import type { Answer, CallOptions, EndpointName, ItemOf } from '../client/calls.ts'
import type { Calls } from '../generated/types.ts'
import type { Signer } from '../signing/signer.ts'
import type { Listing } from './listing.ts'

/** The options of a verb. `idempotencyKey` and `signer` are available only for calls that use them. */
export type NounOptions<N extends EndpointName> = Pick<CallOptions, 'signal' | 'timeoutMs' | 'sandboxFault'> &
  (Calls[N]['idempotent'] extends true ? Pick<CallOptions, 'idempotencyKey'> : unknown) &
  (Calls[N]['signed'] extends true ? SignedOptions : unknown)

/**
 * Either `signer`, which signs immediately, or a signature that a device made earlier: `signature`, and the
 * `requestId` of the 202 response.
 */
export interface SignedOptions extends Pick<CallOptions, 'signature' | 'requestId'> {
  readonly signer?: Signer
}

/**
 * The result of a verb: the response body, but never the body of the 202 response that asks for a signature.
 */
export type ResultOf<N extends EndpointName> = (Calls[N]['signed'] extends true
  ? Exclude<Answer<N>, { status: 202 }>
  : Answer<N>)['body']

/** A list: `await` returns the first page, and iteration covers all pages. */
export type ListOf<N extends EndpointName> = Listing<ResultOf<N>, ItemOf<N>>
