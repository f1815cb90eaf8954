export const PAYMENT_SCHEDULE_STATES = ['AWAITING_APPROVAL', 'ACTIVE', 'PAUSED', 'ENDED', 'CANCELED'] as const
export type PaymentScheduleState = (typeof PAYMENT_SCHEDULE_STATES)[number]

export const PAYMENT_SCHEDULE_EVENTS = ['propose', 'approve', 'pause', 'resume', 'end', 'cancel'] as const
export type PaymentScheduleEvent = (typeof PAYMENT_SCHEDULE_EVENTS)[number]

const OVER = { propose: null, approve: null, pause: null, resume: null, end: null, cancel: null } as const

/** `propose`: a member has approved, and others have to. `end`: its last date has passed, or its customer was deleted. */
export const PAYMENT_SCHEDULE_TRANSITIONS = {
  AWAITING_APPROVAL: {
    ...OVER,
    propose: 'AWAITING_APPROVAL',
    approve: 'ACTIVE',
    end: 'ENDED',
    cancel: 'CANCELED',
  },
  ACTIVE: { ...OVER, pause: 'PAUSED', end: 'ENDED', cancel: 'CANCELED' },
  PAUSED: { ...OVER, resume: 'ACTIVE', end: 'ENDED', cancel: 'CANCELED' },
  ENDED: OVER,
  CANCELED: OVER,
} as const satisfies Record<PaymentScheduleState, Record<PaymentScheduleEvent, PaymentScheduleState | null>>
export const PAYMENT_SCHEDULE_INITIAL = 'AWAITING_APPROVAL' satisfies PaymentScheduleState

export const PAYMENT_OCCURRENCE_STATES = ['UPCOMING', 'SENT', 'FAILED', 'SKIPPED', 'MISSED'] as const
export type PaymentOccurrenceState = (typeof PAYMENT_OCCURRENCE_STATES)[number]

export const PAYMENT_OCCURRENCE_EVENTS = ['send', 'fail', 'skip', 'miss'] as const
export type PaymentOccurrenceEvent = (typeof PAYMENT_OCCURRENCE_EVENTS)[number]

const DECIDED = { send: null, fail: null, skip: null, miss: null } as const

/** An occurrence is paid at most once: its payment then continues on its own. */
export const PAYMENT_OCCURRENCE_TRANSITIONS = {
  UPCOMING: { send: 'SENT', fail: 'FAILED', skip: 'SKIPPED', miss: 'MISSED' },
  SENT: DECIDED,
  FAILED: DECIDED,
  SKIPPED: DECIDED,
  MISSED: DECIDED,
} as const satisfies Record<
  PaymentOccurrenceState,
  Record<PaymentOccurrenceEvent, PaymentOccurrenceState | null>
>
export const PAYMENT_OCCURRENCE_INITIAL = 'UPCOMING' satisfies PaymentOccurrenceState
