export const OWN_ACCOUNT_STATES = ['AWAITING_APPROVAL', 'ACTIVE', 'REMOVED'] as const
export type OwnAccountState = (typeof OWN_ACCOUNT_STATES)[number]

export const OWN_ACCOUNT_EVENTS = ['propose', 'approve', 'remove'] as const
export type OwnAccountEvent = (typeof OWN_ACCOUNT_EVENTS)[number]

/** `propose`: one member has approved, but further approvals are needed. */
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

const NO_TRANSITIONS = { propose: null, send: null, fail: null, cancel: null } as const

/**
 * A withdrawal is paid at most once; afterwards its payment has a separate state. `fail`: a sweep was
 * refused.
 */
export const PLATFORM_WITHDRAWAL_TRANSITIONS = {
  AWAITING_APPROVAL: { propose: 'AWAITING_APPROVAL', send: 'SENT', fail: 'FAILED', cancel: 'CANCELED' },
  SENT: NO_TRANSITIONS,
  FAILED: NO_TRANSITIONS,
  CANCELED: NO_TRANSITIONS,
} as const satisfies Record<
  PlatformWithdrawalState,
  Record<PlatformWithdrawalEvent, PlatformWithdrawalState | null>
>
export const PLATFORM_WITHDRAWAL_INITIAL = 'AWAITING_APPROVAL' satisfies PlatformWithdrawalState

export const TREASURY_MOVEMENT_STATES = [
  'AWAITING_APPROVAL',
  'SENT',
  'COMPLETED',
  'FAILED',
  'CANCELED',
] as const
export type TreasuryMovementState = (typeof TREASURY_MOVEMENT_STATES)[number]

export const TREASURY_MOVEMENT_EVENTS = ['propose', 'send', 'complete', 'fail', 'cancel'] as const
export type TreasuryMovementEvent = (typeof TREASURY_MOVEMENT_EVENTS)[number]

const NO_MOVEMENT_TRANSITIONS = {
  propose: null,
  send: null,
  complete: null,
  fail: null,
  cancel: null,
} as const

/** `fail` in COMPLETED: a chain reorganization has removed the transfer, and it was not included again. */
export const TREASURY_MOVEMENT_TRANSITIONS = {
  AWAITING_APPROVAL: {
    propose: 'AWAITING_APPROVAL',
    send: 'SENT',
    complete: null,
    fail: null,
    cancel: 'CANCELED',
  },
  SENT: { propose: null, send: null, complete: 'COMPLETED', fail: 'FAILED', cancel: null },
  COMPLETED: { ...NO_MOVEMENT_TRANSITIONS, fail: 'FAILED' },
  FAILED: NO_MOVEMENT_TRANSITIONS,
  CANCELED: NO_MOVEMENT_TRANSITIONS,
} as const satisfies Record<
  TreasuryMovementState,
  Record<TreasuryMovementEvent, TreasuryMovementState | null>
>
export const TREASURY_MOVEMENT_INITIAL = 'AWAITING_APPROVAL' satisfies TreasuryMovementState

export const TREASURY_KEY_STATES = ['AWAITING_APPROVAL', 'ACTIVE', 'RETIRED', 'CANCELED'] as const
export type TreasuryKeyState = (typeof TREASURY_KEY_STATES)[number]

export const TREASURY_KEY_EVENTS = ['propose', 'activate', 'retire', 'cancel'] as const
export type TreasuryKeyEvent = (typeof TREASURY_KEY_EVENTS)[number]

const NO_KEY_TRANSITIONS = { propose: null, activate: null, retire: null, cancel: null } as const

/** `retire`: another key has replaced it. Its address is still monitored. */
export const TREASURY_KEY_TRANSITIONS = {
  AWAITING_APPROVAL: { propose: 'AWAITING_APPROVAL', activate: 'ACTIVE', retire: null, cancel: 'CANCELED' },
  ACTIVE: { ...NO_KEY_TRANSITIONS, retire: 'RETIRED' },
  RETIRED: NO_KEY_TRANSITIONS,
  CANCELED: NO_KEY_TRANSITIONS,
} as const satisfies Record<TreasuryKeyState, Record<TreasuryKeyEvent, TreasuryKeyState | null>>
export const TREASURY_KEY_INITIAL = 'AWAITING_APPROVAL' satisfies TreasuryKeyState
