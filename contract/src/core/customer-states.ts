import type { KYC_STATUSES } from './formats.ts'

/** The states of what lets a customer in, as tables like those of `states.ts`. */
export type KycState = (typeof KYC_STATUSES)[number]
export type KycEvent = 'approve' | 'reject' | 'reopen'

/**
 * The check of a customer, which begins with the customer: none is UNVERIFIED here. `reopen`: an operator has a rejection
 * looked at again.
 */
export const KYC_TRANSITIONS = {
  UNVERIFIED: { approve: null, reject: null, reopen: null },
  PENDING: { approve: 'APPROVED', reject: 'REJECTED', reopen: null },
  APPROVED: { approve: null, reject: null, reopen: null },
  REJECTED: { approve: null, reject: null, reopen: 'PENDING' },
} as const satisfies Record<KycState, Record<KycEvent, KycState | null>>
export const KYC_INITIAL = 'PENDING' satisfies KycState

export type InvitationState = 'PENDING' | 'CLAIMED' | 'CANCELLED' | 'EXPIRED'
export type InvitationEvent = 'claim' | 'cancel' | 'expire'

/** An invitation is claimed once, or ends unclaimed. */
export const INVITATION_TRANSITIONS = {
  PENDING: { claim: 'CLAIMED', cancel: 'CANCELLED', expire: 'EXPIRED' },
  CLAIMED: { claim: null, cancel: null, expire: null },
  CANCELLED: { claim: null, cancel: null, expire: null },
  EXPIRED: { claim: null, cancel: null, expire: null },
} as const satisfies Record<InvitationState, Record<InvitationEvent, InvitationState | null>>
export const INVITATION_INITIAL = 'PENDING' satisfies InvitationState

export type StablecoinAccountState = 'ACTIVE' | 'INVALID' | 'REVOKED'
export type StablecoinAccountEvent = 'refuse' | 'revoke' | 'accept' | 'link'

/**
 * What the daily check of an account at a stablecoin provider finds. `refuse`: the provider does not accept the credentials.
 * `revoke`: it has withdrawn them, or they no longer reach the account. `accept`: they work. `link`: the platform gives new
 * ones, which work.
 */
export const STABLECOIN_ACCOUNT_TRANSITIONS = {
  ACTIVE: { refuse: 'INVALID', revoke: 'REVOKED', accept: 'ACTIVE', link: null },
  INVALID: { refuse: 'INVALID', revoke: 'REVOKED', accept: 'ACTIVE', link: 'ACTIVE' },
  REVOKED: { refuse: null, revoke: null, accept: null, link: 'ACTIVE' },
} as const satisfies Record<
  StablecoinAccountState,
  Record<StablecoinAccountEvent, StablecoinAccountState | null>
>
export const STABLECOIN_ACCOUNT_INITIAL = 'ACTIVE' satisfies StablecoinAccountState
