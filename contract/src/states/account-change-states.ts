export const ACCOUNT_CHANGE_STATES = ['PENDING', 'APPLIED', 'DISMISSED'] as const
export type AccountChangeState = (typeof ACCOUNT_CHANGE_STATES)[number]

export const ACCOUNT_CHANGE_EVENTS = ['propose', 'apply', 'dismiss'] as const
export type AccountChangeEvent = (typeof ACCOUNT_CHANGE_EVENTS)[number]

const FINAL = { propose: null, apply: null, dismiss: null } as const

/** `propose`: one member has voted, and further members must vote the same way. */
export const ACCOUNT_CHANGE_TRANSITIONS = {
  PENDING: { propose: 'PENDING', apply: 'APPLIED', dismiss: 'DISMISSED' },
  APPLIED: FINAL,
  DISMISSED: FINAL,
} as const satisfies Record<AccountChangeState, Record<AccountChangeEvent, AccountChangeState | null>>
export const ACCOUNT_CHANGE_INITIAL = 'PENDING' satisfies AccountChangeState

export const EXTERNAL_ACCOUNT_STATUSES = ['PENDING', 'ACTIVE', 'UNDER_REVIEW', 'INACTIVE'] as const
export type ExternalAccountStatus = (typeof EXTERNAL_ACCOUNT_STATUSES)[number]

export const EXTERNAL_ACCOUNT_EVENTS = ['report', 'review', 'refuse'] as const
export type ExternalAccountEvent = (typeof EXTERNAL_ACCOUNT_EVENTS)[number]

const NO_TRANSITIONS = { report: null, review: null, refuse: null } as const

/**
 * `report`: a rail reports changed account details. `review`: all reports about the account have been resolved.
 * `refuse`: the account's bank returned a prenote.
 */
export const EXTERNAL_ACCOUNT_TRANSITIONS = {
  PENDING: NO_TRANSITIONS,
  ACTIVE: { report: 'UNDER_REVIEW', review: null, refuse: 'INACTIVE' },
  UNDER_REVIEW: { report: 'UNDER_REVIEW', review: 'ACTIVE', refuse: null },
  INACTIVE: { report: 'UNDER_REVIEW', review: null, refuse: null },
} as const satisfies Record<ExternalAccountStatus, Record<ExternalAccountEvent, ExternalAccountStatus | null>>
export const EXTERNAL_ACCOUNT_INITIAL = 'ACTIVE' satisfies ExternalAccountStatus
