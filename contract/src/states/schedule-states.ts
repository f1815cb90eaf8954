export const PAYMENT_SCHEDULE_STATES = ['AWAITING_APPROVAL', 'ACTIVE', 'PAUSED', 'ENDED', 'CANCELED'] as const
export type PaymentScheduleState = (typeof PAYMENT_SCHEDULE_STATES)[number]

export const PAYMENT_SCHEDULE_EVENTS = ['propose', 'approve', 'pause', 'resume', 'end', 'cancel'] as const
export type PaymentScheduleEvent = (typeof PAYMENT_SCHEDULE_EVENTS)[number]

const NO_TRANSITIONS = {
  propose: null,
  approve: null,
  pause: null,
  resume: null,
  end: null,
  cancel: null,
} as const

/**
 * `propose`: one member has approved, but further approvals are needed. `end`: the last date has passed, or
 * the customer was deleted.
 */
export const PAYMENT_SCHEDULE_TRANSITIONS = {
  AWAITING_APPROVAL: {
    ...NO_TRANSITIONS,
    propose: 'AWAITING_APPROVAL',
    approve: 'ACTIVE',
    end: 'ENDED',
    cancel: 'CANCELED',
  },
  ACTIVE: { ...NO_TRANSITIONS, pause: 'PAUSED', end: 'ENDED', cancel: 'CANCELED' },
  PAUSED: { ...NO_TRANSITIONS, resume: 'ACTIVE', end: 'ENDED', cancel: 'CANCELED' },
  ENDED: NO_TRANSITIONS,
  CANCELED: NO_TRANSITIONS,
} as const satisfies Record<PaymentScheduleState, Record<PaymentScheduleEvent, PaymentScheduleState | null>>
export const PAYMENT_SCHEDULE_INITIAL = 'AWAITING_APPROVAL' satisfies PaymentScheduleState

export const PAYMENT_OCCURRENCE_STATES = ['UPCOMING', 'SENT', 'FAILED', 'SKIPPED', 'MISSED'] as const
export type PaymentOccurrenceState = (typeof PAYMENT_OCCURRENCE_STATES)[number]

export const PAYMENT_OCCURRENCE_EVENTS = ['send', 'fail', 'skip', 'miss'] as const
export type PaymentOccurrenceEvent = (typeof PAYMENT_OCCURRENCE_EVENTS)[number]

const NO_OCCURRENCE_TRANSITIONS = { send: null, fail: null, skip: null, miss: null } as const

/** An occurrence is paid at most once; afterwards its payment has a separate state. */
export const PAYMENT_OCCURRENCE_TRANSITIONS = {
  UPCOMING: { send: 'SENT', fail: 'FAILED', skip: 'SKIPPED', miss: 'MISSED' },
  SENT: NO_OCCURRENCE_TRANSITIONS,
  FAILED: NO_OCCURRENCE_TRANSITIONS,
  SKIPPED: NO_OCCURRENCE_TRANSITIONS,
  MISSED: NO_OCCURRENCE_TRANSITIONS,
} as const satisfies Record<
  PaymentOccurrenceState,
  Record<PaymentOccurrenceEvent, PaymentOccurrenceState | null>
>
export const PAYMENT_OCCURRENCE_INITIAL = 'UPCOMING' satisfies PaymentOccurrenceState
