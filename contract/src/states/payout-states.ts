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

const ENDED = { check: null, fail: null, propose: null, execute: null, complete: null, cancel: null } as const

/** `fail`: the file cannot be read. `propose`: a member has approved, and others have to. */
export const PAYOUT_BATCH_TRANSITIONS = {
  CHECKING: { ...ENDED, check: 'READY', fail: 'FAILED', cancel: 'CANCELED' },
  READY: { ...ENDED, propose: 'AWAITING_APPROVAL', execute: 'SENDING', cancel: 'CANCELED' },
  AWAITING_APPROVAL: { ...ENDED, propose: 'AWAITING_APPROVAL', execute: 'SENDING', cancel: 'CANCELED' },
  SENDING: { ...ENDED, complete: 'COMPLETED', cancel: 'CANCELED' },
  COMPLETED: ENDED,
  CANCELED: ENDED,
  FAILED: ENDED,
} as const satisfies Record<PayoutBatchState, Record<PayoutBatchEvent, PayoutBatchState | null>>
export const PAYOUT_BATCH_INITIAL = 'CHECKING' satisfies PayoutBatchState

export const PAYOUT_LINE_STATES = ['GIVEN', 'READY', 'FAULTY', 'SENT', 'FAILED'] as const
export type PayoutLineState = (typeof PAYOUT_LINE_STATES)[number]

export const PAYOUT_LINE_EVENTS = ['accept', 'refuse', 'send', 'fail'] as const
export type PayoutLineEvent = (typeof PAYOUT_LINE_EVENTS)[number]

const LINE_ENDED = { accept: null, refuse: null, send: null, fail: null } as const

/** A line is sent at most once: its payment then continues on its own. Lines of a file begin after `accept` or `refuse`. */
export const PAYOUT_LINE_TRANSITIONS = {
  GIVEN: { ...LINE_ENDED, accept: 'READY', refuse: 'FAULTY' },
  READY: { ...LINE_ENDED, send: 'SENT', fail: 'FAILED' },
  FAULTY: LINE_ENDED,
  SENT: LINE_ENDED,
  FAILED: LINE_ENDED,
} as const satisfies Record<PayoutLineState, Record<PayoutLineEvent, PayoutLineState | null>>
export const PAYOUT_LINE_INITIAL = 'GIVEN' satisfies PayoutLineState
