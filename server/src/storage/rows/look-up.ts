import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { InvitationState, StablecoinAccountState } from '@countersign/contract/states/customer-states'
import type { Stamped } from './stamped.ts'

export interface InvitationRow extends Stamped {
  /** The code in canonical form. */
  id: string
  /** The platform that created the code, by whose clock it expires. */
  platform_id: string
  /** The inviting customer. */
  customer_id: string
  inviter_uma: string
  /** A customer of any platform, by UMA address. */
  invitee_uma: string | null
  first_name: string | null
  amount: bigint | null
  currency: KnownCurrency | null
  url: string
  state: InvitationState
  expires_at: Date | null
  claimed_at: Date | null
}

/** Wrong codes entered on a platform in the current window, in real time. The row's id is the platform's. */
export interface InvitationAttemptsRow {
  id: string
  failures: number
  forgotten_at: Date
}

/** An account that the platform has with a stablecoin provider. */
export interface StablecoinAccountRow extends Stamped {
  id: string
  platform_id: string
  provider: 'BRALE'
  provider_account_id: string
  provider_environment: 'SANDBOX' | 'PRODUCTION'
  status: StablecoinAccountState
  /** The credentials as JSON, sealed to this record by the enclave. */
  sealed_credentials: Uint8Array
  last_verified_at: Date | null
}
