export const SCREENING_STATES = ['CLEAR', 'WAITING', 'RELEASED', 'REJECTED'] as const
export type ScreeningState = (typeof SCREENING_STATES)[number]

export const SCREENING_EVENTS = ['clear', 'release', 'reject'] as const
export type ScreeningEvent = (typeof SCREENING_EVENTS)[number]

/**
 * A screened address, recorded with the result: WAITING for a person if it is on a list; `clear` if it is on
 * none. `release`: a person lets the payment or the deposit proceed. `reject`: a person stops it.
 */
export const SCREENING_TRANSITIONS = {
  WAITING: { clear: 'CLEAR', release: 'RELEASED', reject: 'REJECTED' },
  CLEAR: { clear: null, release: null, reject: null },
  RELEASED: { clear: null, release: null, reject: null },
  REJECTED: { clear: null, release: null, reject: null },
} as const satisfies Record<ScreeningState, Record<ScreeningEvent, ScreeningState | null>>
export const SCREENING_INITIAL = 'WAITING' satisfies ScreeningState
