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

export const IMPORT_STATES = ['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED'] as const
export type ImportState = (typeof IMPORT_STATES)[number]
export type ImportEvent = 'begin' | 'complete' | 'fail'

/** A file of customers. `begin`: it was looked through, and its rows can be read. Rows that are refused do not fail it. */
export const IMPORT_TRANSITIONS = {
  PENDING: { begin: 'PROCESSING', complete: null, fail: 'FAILED' },
  PROCESSING: { begin: null, complete: 'COMPLETED', fail: 'FAILED' },
  COMPLETED: { begin: null, complete: null, fail: null },
  FAILED: { begin: null, complete: null, fail: null },
} as const satisfies Record<ImportState, Record<ImportEvent, ImportState | null>>
export const IMPORT_INITIAL = 'PENDING' satisfies ImportState
