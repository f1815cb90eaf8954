import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { InvitationState, StablecoinAccountState } from '@countersign/contract/states/customer-states'
import type { Stamped } from './stamped.ts'

export interface InvitationRow extends Stamped {
  /** The code in its canonical spelling. */
  id: string
  /** The platform that made it. It expires by the platform's clock. */
  platform_id: string
  /** The customer who invites. */
  customer_id: string
  inviter_uma: string
  /** A customer of any platform. */
  invitee_uma: string | null
  first_name: string | null
  amount: bigint | null
  currency: KnownCurrency | null
  url: string
  state: InvitationState
  expires_at: Date | null
  claimed_at: Date | null
}

/** Wrong codes of a platform in the current window, in real time. The row's id is the platform's. */
export interface InvitationAttemptsRow {
  id: string
  failures: number
  forgotten_at: Date
}

/** An account of the platform at a stablecoin provider. */
export interface StablecoinAccountRow extends Stamped {
  id: string
  platform_id: string
  provider: 'BRALE'
  provider_account_id: string
  provider_environment: 'SANDBOX' | 'PRODUCTION'
  status: StablecoinAccountState
  /** The credentials as JSON, sealed by the enclave to this record. */
  sealed_credentials: Uint8Array
  last_verified_at: Date | null
}
