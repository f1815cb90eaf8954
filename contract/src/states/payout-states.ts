export const PAYOUT_BATCH_STATES = [
  'CHECKING',
  'READY',
  'AWAITING_APPROVAL',
  'SENDING',
  'COMPLETED',
  'CANCELED',
  'FAILED',
] as const
export type PayoutBatchState = (typeof PAYOUT_BATCH_STATES)[number]

export const PAYOUT_BATCH_EVENTS = ['check', 'fail', 'propose', 'execute', 'complete', 'cancel'] as const
export type PayoutBatchEvent = (typeof PAYOUT_BATCH_EVENTS)[number]

const NO_TRANSITIONS = {
  check: null,
  fail: null,
  propose: null,
  execute: null,
  complete: null,
  cancel: null,
} as const

/**
 * `fail`: the file cannot be parsed. `propose`: one member has approved, but further approvals are needed.
 */
export const PAYOUT_BATCH_TRANSITIONS = {
  CHECKING: { ...NO_TRANSITIONS, check: 'READY', fail: 'FAILED', cancel: 'CANCELED' },
  READY: { ...NO_TRANSITIONS, propose: 'AWAITING_APPROVAL', execute: 'SENDING', cancel: 'CANCELED' },
  AWAITING_APPROVAL: {
    ...NO_TRANSITIONS,
    propose: 'AWAITING_APPROVAL',
    execute: 'SENDING',
    cancel: 'CANCELED',
  },
  SENDING: { ...NO_TRANSITIONS, complete: 'COMPLETED', cancel: 'CANCELED' },
  COMPLETED: NO_TRANSITIONS,
  CANCELED: NO_TRANSITIONS,
  FAILED: NO_TRANSITIONS,
} as const satisfies Record<PayoutBatchState, Record<PayoutBatchEvent, PayoutBatchState | null>>
export const PAYOUT_BATCH_INITIAL = 'CHECKING' satisfies PayoutBatchState

export const PAYOUT_LINE_STATES = ['GIVEN', 'READY', 'FAULTY', 'SENT', 'FAILED'] as const
export type PayoutLineState = (typeof PAYOUT_LINE_STATES)[number]

export const PAYOUT_LINE_EVENTS = ['accept', 'refuse', 'send', 'fail'] as const
export type PayoutLineEvent = (typeof PAYOUT_LINE_EVENTS)[number]

const NO_LINE_TRANSITIONS = { accept: null, refuse: null, send: null, fail: null } as const

/**
 * A line is sent at most once; afterwards its payment has a separate state. A line from a file is created
 * after `accept` or `refuse`.
 */
export const PAYOUT_LINE_TRANSITIONS = {
  GIVEN: { ...NO_LINE_TRANSITIONS, accept: 'READY', refuse: 'FAULTY' },
  READY: { ...NO_LINE_TRANSITIONS, send: 'SENT', fail: 'FAILED' },
  FAULTY: NO_LINE_TRANSITIONS,
  SENT: NO_LINE_TRANSITIONS,
  FAILED: NO_LINE_TRANSITIONS,
} as const satisfies Record<PayoutLineState, Record<PayoutLineEvent, PayoutLineState | null>>
export const PAYOUT_LINE_INITIAL = 'GIVEN' satisfies PayoutLineState
