import type {
  VerificationOutcome,
  VerificationProviderEvent,
} from '@countersign/contract/customers/verifications'
import type { Static } from 'typebox'

/**
 * A provider that decides about customers outside of this server. It is given a case, and answers at once or reports
 * later. `describeVerifier` of the tests checks an implementation against this contract.
 */
export interface Verifier {
  /**
   * Gives it a case. Idempotent: the same submission may come again and is one case. Throws where it has to be given
   * again; the error's message may be logged.
   */
  submit(submission: VerificationSubmission): Promise<VerifierAnswer>
  /**
   * Reads the body of `POST /verification-provider/events` as an event of the contract; the caller checks it against
   * the schema. Undefined where the signature over the exact bytes is not valid at the time `now`, which is real. Does
   * not throw.
   */
  readEvent(headers: Readonly<Record<string, string | undefined>>, body: Uint8Array, now: Date): unknown
}

export type VerifierAnswer = Static<typeof VerificationOutcome>
export type VerifierEvent = Static<typeof VerificationProviderEvent>

/** A customer as the provider gets it, with the numbers that answers of the API do not show. */
export interface VerificationSubmission {
  readonly verificationId: string
  /** Raised by one each time the customer is submitted; named by the outcome. */
  readonly submission: number
  readonly platformId: string
  readonly customer: object
  readonly beneficialOwners: readonly object[]
  /** Each with an address from which it can be read for some time. */
  readonly documents: readonly object[]
}
