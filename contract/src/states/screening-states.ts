export const SCREENING_STATES = ['CLEAR', 'WAITING', 'RELEASED', 'REJECTED'] as const
export type ScreeningState = (typeof SCREENING_STATES)[number]

export const SCREENING_EVENTS = ['clear', 'release', 'reject'] as const
export type ScreeningEvent = (typeof SCREENING_EVENTS)[number]

/**
 * The states of a screened address, stored with the result: WAITING if it is on a list.
 * - `clear`: it is on no list
 * - `release`: a reviewer lets the payment or deposit proceed
 * - `reject`: a reviewer stops it
 */
export const SCREENING_TRANSITIONS = {
  WAITING: { clear: 'CLEAR', release: 'RELEASED', reject: 'REJECTED' },
  CLEAR: { clear: null, release: null, reject: null },
  RELEASED: { clear: null, release: null, reject: null },
  REJECTED: { clear: null, release: null, reject: null },
} as const satisfies Record<ScreeningState, Record<ScreeningEvent, ScreeningState | null>>
export const SCREENING_INITIAL = 'WAITING' satisfies ScreeningState
