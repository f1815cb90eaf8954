import type {
  BENEFICIAL_OWNER_ROLES,
  BeneficialOwnerPersonalInfo,
} from '@countersign/contract/customers/beneficial-owners'
import type {
  DECIDERS,
  VerificationDecision,
  VerificationError,
} from '@countersign/contract/customers/verifications'
import type { KycState, VerificationState } from '@countersign/contract/states/customer-states'
import type { Static } from 'typebox'
import type { Stamped } from './stamped.ts'

export interface BeneficialOwnerRow extends Stamped {
  id: string
  platform_id: string
  customer_id: string
  roles: (typeof BENEFICIAL_OWNER_ROLES)[number][]
  ownership_percentage: number
  personal_info: Omit<Static<typeof BeneficialOwnerPersonalInfo>, 'identifier'>
  sealed_identifier: Uint8Array
  /** The identifier in the form that responses show. */
  shown_identifier: string
  kyc_status: KycState
  version: number
}

export type VerificationErrorEntry = Static<typeof VerificationError>

export interface VerificationRow extends Stamped {
  id: string
  platform_id: string
  customer_id: string
  status: VerificationState
  errors: VerificationErrorEntry[]
  /** The reviewer's latest requests, and their time. */
  requested: VerificationErrorEntry[]
  requested_at: Date | null
  submission: number
  /** A hex digest of the case as last submitted. */
  case_digest: string | null
}

export interface VerificationDecisionRow {
  id: string
  platform_id: string
  verification_id: string
  submission: number
  decision: Static<typeof VerificationDecision>['decision']
  reason: string | null
  errors: VerificationErrorEntry[]
  decider: (typeof DECIDERS)[number]
  decider_id: string | null
  created_at: Date
}
