export const ACCOUNT_CHANGE_STATES = ['PENDING', 'APPLIED', 'DISMISSED'] as const
export type AccountChangeState = (typeof ACCOUNT_CHANGE_STATES)[number]

export const ACCOUNT_CHANGE_EVENTS = ['propose', 'apply', 'dismiss'] as const
export type AccountChangeEvent = (typeof ACCOUNT_CHANGE_EVENTS)[number]

const DECIDED = { propose: null, apply: null, dismiss: null } as const

/** `propose`: a member has decided, and others have to decide the same. */
export const ACCOUNT_CHANGE_TRANSITIONS = {
  PENDING: { propose: 'PENDING', apply: 'APPLIED', dismiss: 'DISMISSED' },
  APPLIED: DECIDED,
  DISMISSED: DECIDED,
} as const satisfies Record<AccountChangeState, Record<AccountChangeEvent, AccountChangeState | null>>
export const ACCOUNT_CHANGE_INITIAL = 'PENDING' satisfies AccountChangeState

export const EXTERNAL_ACCOUNT_STATUSES = ['PENDING', 'ACTIVE', 'UNDER_REVIEW', 'INACTIVE'] as const
export type ExternalAccountStatus = (typeof EXTERNAL_ACCOUNT_STATUSES)[number]

export const EXTERNAL_ACCOUNT_EVENTS = ['report', 'review', 'refuse'] as const
export type ExternalAccountEvent = (typeof EXTERNAL_ACCOUNT_EVENTS)[number]

const UNUSED = { report: null, review: null, refuse: null } as const

/**
 * `report`: a rail reports other details. `review`: every report about the account is decided. `refuse`: its bank
 * has returned a prenote.
 */
export const EXTERNAL_ACCOUNT_TRANSITIONS = {
  PENDING: UNUSED,
  ACTIVE: { report: 'UNDER_REVIEW', review: null, refuse: 'INACTIVE' },
  UNDER_REVIEW: { report: 'UNDER_REVIEW', review: 'ACTIVE', refuse: null },
  INACTIVE: { report: 'UNDER_REVIEW', review: null, refuse: null },
} as const satisfies Record<ExternalAccountStatus, Record<ExternalAccountEvent, ExternalAccountStatus | null>>
export const EXTERNAL_ACCOUNT_INITIAL = 'ACTIVE' satisfies ExternalAccountStatus
