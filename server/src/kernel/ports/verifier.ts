import type {
  VerificationOutcome,
  VerificationProviderEvent,
} from '@countersign/contract/customers/verifications'
import type { Static } from 'typebox'

/**
 * An external provider that verifies customers. It receives a case, and responds immediately or reports
 * later. `describeVerifier` in the tests checks that implementations fulfill this contract.
 */
export interface Verifier {
  /**
   * Submits a case. Idempotent: submitting it again does not create another case. Throws if it must be
   * submitted again; the error message may be logged.
   */
  submit(submission: VerificationSubmission): Promise<VerifierResult>
  /**
   * Parses the body of `POST /verification-provider/events`, which the caller then validates against the
   * schema. Undefined if the signature over the exact bytes is not valid at `now`, in real time. Does not
   * throw.
   */
  readEvent(headers: Readonly<Record<string, string | undefined>>, body: Uint8Array, now: Date): unknown
}

export type VerifierResult = Static<typeof VerificationOutcome>
export type VerifierEvent = Static<typeof VerificationProviderEvent>

/** A customer as sent to the provider, including numbers that API responses hide. */
export interface VerificationSubmission {
  readonly verificationId: string
  /** Incremented each time the customer is submitted. Outcomes refer to it. */
  readonly submission: number
  readonly platformId: string
  readonly customer: object
  readonly beneficialOwners: readonly object[]
  /** Each has a temporary download URL. */
  readonly documents: readonly object[]
}
