export const OWN_ACCOUNT_STATES = ['AWAITING_APPROVAL', 'ACTIVE', 'REMOVED'] as const
export type OwnAccountState = (typeof OWN_ACCOUNT_STATES)[number]

export const OWN_ACCOUNT_EVENTS = ['propose', 'approve', 'remove'] as const
export type OwnAccountEvent = (typeof OWN_ACCOUNT_EVENTS)[number]

/** `propose`: a member has approved, and others have to. */
export const OWN_ACCOUNT_TRANSITIONS = {
  AWAITING_APPROVAL: { propose: 'AWAITING_APPROVAL', approve: 'ACTIVE', remove: 'REMOVED' },
  ACTIVE: { propose: null, approve: null, remove: 'REMOVED' },
  REMOVED: { propose: null, approve: null, remove: null },
} as const satisfies Record<OwnAccountState, Record<OwnAccountEvent, OwnAccountState | null>>
export const OWN_ACCOUNT_INITIAL = 'AWAITING_APPROVAL' satisfies OwnAccountState

export const PLATFORM_WITHDRAWAL_STATES = ['AWAITING_APPROVAL', 'SENT', 'FAILED', 'CANCELED'] as const
export type PlatformWithdrawalState = (typeof PLATFORM_WITHDRAWAL_STATES)[number]

export const PLATFORM_WITHDRAWAL_EVENTS = ['propose', 'send', 'fail', 'cancel'] as const
export type PlatformWithdrawalEvent = (typeof PLATFORM_WITHDRAWAL_EVENTS)[number]

const DECIDED = { propose: null, send: null, fail: null, cancel: null } as const

/** A withdrawal is paid at most once: its payment then continues on its own. `fail`: a sweep was refused. */
export const PLATFORM_WITHDRAWAL_TRANSITIONS = {
  AWAITING_APPROVAL: { propose: 'AWAITING_APPROVAL', send: 'SENT', fail: 'FAILED', cancel: 'CANCELED' },
  SENT: DECIDED,
  FAILED: DECIDED,
  CANCELED: DECIDED,
} as const satisfies Record<
  PlatformWithdrawalState,
  Record<PlatformWithdrawalEvent, PlatformWithdrawalState | null>
>
export const PLATFORM_WITHDRAWAL_INITIAL = 'AWAITING_APPROVAL' satisfies PlatformWithdrawalState
