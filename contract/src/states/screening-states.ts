export const SCREENING_STATES = ['CLEAR', 'WAITING', 'RELEASED', 'REJECTED'] as const
export type ScreeningState = (typeof SCREENING_STATES)[number]

export const SCREENING_EVENTS = ['clear', 'release', 'reject'] as const
export type ScreeningEvent = (typeof SCREENING_EVENTS)[number]

/**
 * An address that was looked for on lists. It is recorded with its answer: WAITING for a person where it is on one; `clear`
 * where it is on none. `release`: a person lets the payment or the deposit go on. `reject`: it does not.
 */
export const SCREENING_TRANSITIONS = {
  WAITING: { clear: 'CLEAR', release: 'RELEASED', reject: 'REJECTED' },
  CLEAR: { clear: null, release: null, reject: null },
  RELEASED: { clear: null, release: null, reject: null },
  REJECTED: { clear: null, release: null, reject: null },
} as const satisfies Record<ScreeningState, Record<ScreeningEvent, ScreeningState | null>>
export const SCREENING_INITIAL = 'WAITING' satisfies ScreeningState
