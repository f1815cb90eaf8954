import type { Answer, CallOptions, EndpointName, ItemOf } from '../client/calls.ts'
import type { Calls } from '../generated/types.ts'
import type { Signer } from '../signing/signer.ts'
import type { Listing } from './listing.ts'

/** The options of a verb: `idempotencyKey` if the call takes one, and `signer` if a wallet signs for it. */
export type NounOptions<N extends EndpointName> = Pick<CallOptions, 'signal' | 'timeoutMs' | 'sandboxFault'> &
  (Calls[N]['idempotent'] extends true ? Pick<CallOptions, 'idempotencyKey'> : unknown) &
  (Calls[N]['signed'] extends true ? SignedOptions : unknown)

/**
 * Either `signer`, which signs immediately, or an earlier signature of a device: `signature` and the
 * `requestId` of the response.
 */
export interface SignedOptions extends Pick<CallOptions, 'signature' | 'requestId'> {
  readonly signer?: Signer
}

/** The result of a verb: the body of the response, and never the 202 that requests a signature. */
export type ResultOf<N extends EndpointName> = (Calls[N]['signed'] extends true
  ? Exclude<Answer<N>, { status: 202 }>
  : Answer<N>)['body']

/** A list: awaited it is one page, iterated it is every record over all pages. */
export type ListOf<N extends EndpointName> = Listing<ResultOf<N>, ItemOf<N>>
