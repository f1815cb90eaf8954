export const RECONCILIATION_STATES = ['WAITING', 'BOOKING', 'BALANCED', 'DIFFERENT'] as const
export type ReconciliationState = (typeof RECONCILIATION_STATES)[number]

export const RECONCILIATION_EVENTS = ['arrive', 'extend', 'balance', 'differ'] as const
export type ReconciliationEvent = (typeof RECONCILIATION_EVENTS)[number]

/**
 * The states of a rail's day in one currency.
 * - `arrive`: its statement has arrived.
 * - `extend`: another statement continues from its closing balance.
 * - `balance`, `differ`: it was compared with the ledger, without or with differences. It is compared again
 *   later, so either can follow the other.
 */
export const RECONCILIATION_TRANSITIONS = {
  WAITING: { arrive: 'BOOKING', extend: null, balance: null, differ: null },
  BOOKING: { arrive: null, extend: 'BOOKING', balance: 'BALANCED', differ: 'DIFFERENT' },
  BALANCED: { arrive: null, extend: 'BOOKING', balance: 'BALANCED', differ: 'DIFFERENT' },
  DIFFERENT: { arrive: null, extend: 'BOOKING', balance: 'BALANCED', differ: 'DIFFERENT' },
} as const satisfies Record<ReconciliationState, Record<ReconciliationEvent, ReconciliationState | null>>
export const RECONCILIATION_INITIAL = 'WAITING' satisfies ReconciliationState
