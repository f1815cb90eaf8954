import type {
  VerificationOutcome,
  VerificationProviderEvent,
} from '@countersign/contract/customers/verifications'
import type { Static } from 'typebox'

/**
 * An external provider that verifies customers. It takes a case, and responds immediately or reports later.
 * `describeVerifier` in the tests checks implementations against this contract.
 */
export interface Verifier {
  /**
   * Submits a case. Idempotent: the same submission may be repeated and is one case. Throws if it must be
   * submitted again; the error's message may be logged.
   */
  submit(submission: VerificationSubmission): Promise<VerifierAnswer>
  /**
   * Parses the body of `POST /verification-provider/events`; the caller validates it against the schema.
   * Undefined if the signature over the exact bytes is invalid at the time `now`, which is real. Does not
   * throw.
   */
  readEvent(headers: Readonly<Record<string, string | undefined>>, body: Uint8Array, now: Date): unknown
}

export type VerifierAnswer = Static<typeof VerificationOutcome>
export type VerifierEvent = Static<typeof VerificationProviderEvent>

/** A customer as the provider gets it, including the numbers that API responses do not show. */
export interface VerificationSubmission {
  readonly verificationId: string
  /** Incremented each time the customer is submitted; outcomes name it. */
  readonly submission: number
  readonly platformId: string
  readonly customer: object
  readonly beneficialOwners: readonly object[]
  /** Each with a temporary URL for download. */
  readonly documents: readonly object[]
}
