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

/**
 * An e-mail address or telephone number that a customer has to prove to own. `change`: another one takes its place. What is
 * not required has no state.
 */
export type ContactState = 'PENDING' | 'VERIFIED'
export type ContactEvent = 'verify' | 'change'

export const CONTACT_TRANSITIONS = {
  PENDING: { verify: 'VERIFIED', change: 'PENDING' },
  VERIFIED: { verify: null, change: 'PENDING' },
} as const satisfies Record<ContactState, Record<ContactEvent, ContactState | null>>
export const CONTACT_INITIAL = 'PENDING' satisfies ContactState
