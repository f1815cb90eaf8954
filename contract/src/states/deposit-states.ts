export const DEPOSIT_STATES = [
  'SUSPENSE',
  'PENDING',
  'CREDITED',
  'FUNDED',
  'RETURNING',
  'RETURNED',
  'REVERSED',
  'SPLIT',
  'WRITTEN_OFF',
] as const
export type DepositState = (typeof DEPOSIT_STATES)[number]

export const DEPOSIT_EVENTS = [
  'assign',
  'credit',
  'fund',
  'refuse',
  'return',
  'arrive_back',
  'reverse',
  'split',
  'write_off',
] as const
export type DepositEvent = (typeof DEPOSIT_EVENTS)[number]

/**
 * The states of a deposit.
 * - `assign`: its account is known, but the credit may need the platform's approval.
 * - `credit`: the account has been credited.
 * - `fund`: it pays for a quote.
 * - `refuse`: it needs manual review.
 * - `return`: it is being returned to its sender; `arrive_back`: the sender has received it.
 * - `reverse`: the bank has reversed it on its own initiative.
 * - `split`: its money has moved to its parts.
 * - `write_off`: its money has been booked to the platform.
 */
export const DEPOSIT_TRANSITIONS = {
  SUSPENSE: {
    assign: 'PENDING',
    credit: null,
    fund: 'FUNDED',
    refuse: null,
    return: 'RETURNING',
    arrive_back: null,
    reverse: 'REVERSED',
    split: 'SPLIT',
    write_off: 'WRITTEN_OFF',
  },
  PENDING: {
    assign: null,
    credit: 'CREDITED',
    fund: null,
    refuse: 'SUSPENSE',
    return: 'RETURNING',
    arrive_back: null,
    reverse: 'REVERSED',
    split: null,
    write_off: null,
  },
  CREDITED: {
    assign: null,
    credit: null,
    fund: null,
    refuse: null,
    return: null,
    arrive_back: null,
    reverse: 'REVERSED',
    split: null,
    write_off: null,
  },
  FUNDED: {
    assign: null,
    credit: null,
    fund: null,
    refuse: null,
    return: 'RETURNING',
    arrive_back: null,
    reverse: 'REVERSED',
    split: null,
    write_off: null,
  },
  RETURNING: {
    assign: null,
    credit: null,
    fund: null,
    refuse: 'SUSPENSE',
    return: null,
    arrive_back: 'RETURNED',
    reverse: null,
    split: null,
    write_off: null,
  },
  RETURNED: {
    assign: null,
    credit: null,
    fund: null,
    refuse: 'SUSPENSE',
    return: null,
    arrive_back: null,
    reverse: null,
    split: null,
    write_off: null,
  },
  REVERSED: {
    assign: null,
    credit: null,
    fund: null,
    refuse: null,
    return: null,
    arrive_back: null,
    reverse: null,
    split: null,
    write_off: null,
  },
  SPLIT: {
    assign: null,
    credit: null,
    fund: null,
    refuse: null,
    return: null,
    arrive_back: null,
    reverse: 'REVERSED',
    split: null,
    write_off: null,
  },
  WRITTEN_OFF: {
    assign: null,
    credit: null,
    fund: null,
    refuse: null,
    return: null,
    arrive_back: null,
    reverse: 'REVERSED',
    split: null,
    write_off: null,
  },
} as const satisfies Record<DepositState, Record<DepositEvent, DepositState | null>>
export const DEPOSIT_INITIAL = 'SUSPENSE' satisfies DepositState
