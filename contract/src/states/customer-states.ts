import type { KYC_STATUSES } from '../core/formats.ts'

/** The states of customer onboarding, as tables like those in `payment-states.ts`. */
export type KycState = (typeof KYC_STATUSES)[number]
export type KycEvent = 'approve' | 'reject' | 'reopen'

/**
 * The verification of a customer. It starts with the customer's creation, so none is UNVERIFIED. `reopen`: an
 * operator requests another review after a rejection.
 */
export const KYC_TRANSITIONS = {
  UNVERIFIED: { approve: null, reject: null, reopen: null },
  PENDING: { approve: 'APPROVED', reject: 'REJECTED', reopen: null },
  APPROVED: { approve: null, reject: null, reopen: null },
  REJECTED: { approve: null, reject: null, reopen: 'PENDING' },
} as const satisfies Record<KycState, Record<KycEvent, KycState | null>>
export const KYC_INITIAL = 'PENDING' satisfies KycState

export type OwnerKycEvent = 'approve' | 'reject' | 'recheck'

/**
 * The verification of a beneficial owner, which starts with the owner's creation. `recheck`: the name has
 * changed.
 */
export const OWNER_KYC_TRANSITIONS = {
  UNVERIFIED: { approve: null, reject: null, recheck: null },
  PENDING: { approve: 'APPROVED', reject: 'REJECTED', recheck: 'PENDING' },
  APPROVED: { approve: null, reject: null, recheck: 'PENDING' },
  REJECTED: { approve: null, reject: null, recheck: 'PENDING' },
} as const satisfies Record<KycState, Record<OwnerKycEvent, KycState | null>>
export const OWNER_KYC_INITIAL = 'PENDING' satisfies KycState

export const VERIFICATION_STATES = [
  'RESOLVE_ERRORS',
  'READY_FOR_VERIFICATION',
  'IN_PROGRESS',
  'PENDING_MANUAL_REVIEW',
  'APPROVED',
  'REJECTED',
] as const
export type VerificationState = (typeof VERIFICATION_STATES)[number]

export const VERIFICATION_EVENTS = [
  'find_errors',
  'complete',
  'submit',
  'refer',
  'approve',
  'reject',
  'reopen',
] as const
export type VerificationEvent = (typeof VERIFICATION_EVENTS)[number]

/**
 * The states of a verification.
 * - `find_errors`: something is missing or has been requested.
 * - `complete`: nothing is missing any more.
 * - `submit`: it is ready for a decision, possibly again because the customer has changed.
 * - `refer`: it needs manual review.
 * - `reopen`: an operator requests another review after a rejection.
 */
export const VERIFICATION_TRANSITIONS = {
  RESOLVE_ERRORS: {
    find_errors: 'RESOLVE_ERRORS',
    complete: 'READY_FOR_VERIFICATION',
    submit: null,
    refer: null,
    approve: null,
    reject: 'REJECTED',
    reopen: null,
  },
  READY_FOR_VERIFICATION: {
    find_errors: 'RESOLVE_ERRORS',
    complete: 'READY_FOR_VERIFICATION',
    submit: 'IN_PROGRESS',
    refer: null,
    approve: null,
    reject: 'REJECTED',
    reopen: null,
  },
  IN_PROGRESS: {
    find_errors: 'RESOLVE_ERRORS',
    complete: null,
    submit: 'IN_PROGRESS',
    refer: 'PENDING_MANUAL_REVIEW',
    approve: 'APPROVED',
    reject: 'REJECTED',
    reopen: null,
  },
  PENDING_MANUAL_REVIEW: {
    find_errors: 'RESOLVE_ERRORS',
    complete: null,
    submit: 'IN_PROGRESS',
    refer: null,
    approve: 'APPROVED',
    reject: 'REJECTED',
    reopen: null,
  },
  APPROVED: {
    find_errors: null,
    complete: null,
    submit: null,
    refer: null,
    approve: null,
    reject: null,
    reopen: null,
  },
  REJECTED: {
    find_errors: null,
    complete: null,
    submit: null,
    refer: null,
    approve: null,
    reject: null,
    reopen: 'PENDING_MANUAL_REVIEW',
  },
} as const satisfies Record<VerificationState, Record<VerificationEvent, VerificationState | null>>
export const VERIFICATION_INITIAL = 'RESOLVE_ERRORS' satisfies VerificationState
/**
 * An e-mail address or telephone number that a customer has to verify. `change`: it is replaced with another
 * one. Contacts that need no verification have no state.
 */
export type ContactState = 'PENDING' | 'VERIFIED'
export type ContactEvent = 'verify' | 'change'

export const CONTACT_TRANSITIONS = {
  PENDING: { verify: 'VERIFIED', change: 'PENDING' },
  VERIFIED: { verify: null, change: 'PENDING' },
} as const satisfies Record<ContactState, Record<ContactEvent, ContactState | null>>
export const CONTACT_INITIAL = 'PENDING' satisfies ContactState
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
 * Results of the daily check of an account at a stablecoin provider.
 * - `refuse`: the provider does not accept the credentials.
 * - `revoke`: the provider has revoked them, or they no longer give access to the account.
 * - `accept`: they work.
 * - `link`: the platform has provided new ones, which work.
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

export const IMPORT_STATES = ['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED'] as const
export type ImportState = (typeof IMPORT_STATES)[number]
export type ImportEvent = 'begin' | 'complete' | 'fail'

/**
 * The import of a customer file. `begin`: the file's format is valid, so its rows can be read. Rejected rows
 * do not make the import fail.
 */
export const IMPORT_TRANSITIONS = {
  PENDING: { begin: 'PROCESSING', complete: null, fail: 'FAILED' },
  PROCESSING: { begin: null, complete: 'COMPLETED', fail: 'FAILED' },
  COMPLETED: { begin: null, complete: null, fail: null },
  FAILED: { begin: null, complete: null, fail: null },
} as const satisfies Record<ImportState, Record<ImportEvent, ImportState | null>>
export const IMPORT_INITIAL = 'PENDING' satisfies ImportState

export const ERASURE_STATES = ['SCHEDULED', 'ERASING', 'DONE'] as const
export type ErasureState = (typeof ERASURE_STATES)[number]

export const ERASURE_EVENTS = ['begin', 'finish'] as const
export type ErasureEvent = (typeof ERASURE_EVENTS)[number]

/**
 * The erasure of a person's data. `begin`: the retention period has ended. `finish`: all of it has been
 * deleted.
 */
export const ERASURE_TRANSITIONS = {
  SCHEDULED: { begin: 'ERASING', finish: null },
  ERASING: { begin: null, finish: 'DONE' },
  DONE: { begin: null, finish: null },
} as const satisfies Record<ErasureState, Record<ErasureEvent, ErasureState | null>>
export const ERASURE_INITIAL = 'SCHEDULED' satisfies ErasureState
