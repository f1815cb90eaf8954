export const FUNDS_HOLD_STATES = ['HELD', 'RELEASED', 'LIFTED', 'RETURNED'] as const
export type FundsHoldState = (typeof FUNDS_HOLD_STATES)[number]

export const FUNDS_HOLD_EVENTS = ['release', 'lift', 'return'] as const
export type FundsHoldEvent = (typeof FUNDS_HOLD_EVENTS)[number]

/**
 * The states of a hold on pulled money.
 * - `release`: its banking days are over.
 * - `lift`: it is ended early by a decision.
 * - `return`: the payer's bank has taken the money back.
 */
export const FUNDS_HOLD_TRANSITIONS = {
  HELD: { release: 'RELEASED', lift: 'LIFTED', return: 'RETURNED' },
  RELEASED: { release: null, lift: null, return: null },
  LIFTED: { release: null, lift: null, return: null },
  RETURNED: { release: null, lift: null, return: null },
} as const satisfies Record<FundsHoldState, Record<FundsHoldEvent, FundsHoldState | null>>
export const FUNDS_HOLD_INITIAL = 'HELD' satisfies FundsHoldState
