export const RECONCILIATION_STATES = ['WAITING', 'BOOKING', 'BALANCED', 'DIFFERENT'] as const
export type ReconciliationState = (typeof RECONCILIATION_STATES)[number]

export const RECONCILIATION_EVENTS = ['arrive', 'extend', 'balance', 'differ'] as const
export type ReconciliationEvent = (typeof RECONCILIATION_EVENTS)[number]

/**
 * A day of a rail in one currency.
 * - `arrive`: its statement is here.
 * - `extend`: another statement continues its balance.
 * - `balance`, `differ`: it was compared with the books, without and with differences; it is compared again,
 *   and either may follow the other.
 */
export const RECONCILIATION_TRANSITIONS = {
  WAITING: { arrive: 'BOOKING', extend: null, balance: null, differ: null },
  BOOKING: { arrive: null, extend: 'BOOKING', balance: 'BALANCED', differ: 'DIFFERENT' },
  BALANCED: { arrive: null, extend: 'BOOKING', balance: 'BALANCED', differ: 'DIFFERENT' },
  DIFFERENT: { arrive: null, extend: 'BOOKING', balance: 'BALANCED', differ: 'DIFFERENT' },
} as const satisfies Record<ReconciliationState, Record<ReconciliationEvent, ReconciliationState | null>>
export const RECONCILIATION_INITIAL = 'WAITING' satisfies ReconciliationState
