/**
 * The states shown by the API, as tables; for each state and event, they contain the next state, or null if
 * the event cannot happen. No cell is omitted. `INITIAL` is the state of a new record; a record that is
 * created later in its life starts in a state that can be reached from there.
 */
export const QUOTE_STATES = ['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'EXPIRED'] as const
export type QuoteState = (typeof QUOTE_STATES)[number]

export const QUOTE_EVENTS = ['execute', 'settle', 'fail', 'expire'] as const
export type QuoteEvent = (typeof QUOTE_EVENTS)[number]

/**
 * A quote is executed at most once. If a payment is returned later, its transaction changes, but not the
 * quote.
 */
export const QUOTE_TRANSITIONS = {
  PENDING: { execute: 'PROCESSING', settle: null, fail: 'FAILED', expire: 'EXPIRED' },
  PROCESSING: { execute: null, settle: 'COMPLETED', fail: 'FAILED', expire: null },
  COMPLETED: { execute: null, settle: null, fail: null, expire: null },
  FAILED: { execute: null, settle: null, fail: null, expire: null },
  EXPIRED: { execute: null, settle: null, fail: null, expire: null },
} as const satisfies Record<QuoteState, Record<QuoteEvent, QuoteState | null>>
export const QUOTE_INITIAL = 'PENDING' satisfies QuoteState

export const PULL_STATES = ['PENDING', 'PULLED', 'FAILED', 'RETURNED'] as const
export type PullState = (typeof PULL_STATES)[number]

export const PULL_EVENTS = ['deliver', 'fail', 'return'] as const
export type PullEvent = (typeof PULL_EVENTS)[number]

/**
 * The pull of a quote's money from an external account, which starts when the quote is executed. `fail`: the
 * bank rejects it. `return`: the bank takes the money back, which can happen in any state of the quote.
 */
export const PULL_TRANSITIONS = {
  PENDING: { deliver: 'PULLED', fail: 'FAILED', return: null },
  PULLED: { deliver: null, fail: null, return: 'RETURNED' },
  FAILED: { deliver: null, fail: null, return: null },
  RETURNED: { deliver: null, fail: null, return: null },
} as const satisfies Record<PullState, Record<PullEvent, PullState | null>>
export const PULL_INITIAL = 'PENDING' satisfies PullState

export const OUTGOING_TRANSACTION_STATES = [
  'PENDING',
  'PROCESSING',
  'COMPLETED',
  'FAILED',
  'EXPIRED',
] as const
export type OutgoingTransactionState = (typeof OUTGOING_TRANSACTION_STATES)[number]

export const OUTGOING_TRANSACTION_EVENTS = ['execute', 'settle', 'fail', 'expire', 'return'] as const
export type OutgoingTransactionEvent = (typeof OUTGOING_TRANSACTION_EVENTS)[number]

/** `return`: the receiving bank sends a completed payment back (specification 4.16, suffix 005). */
export const OUTGOING_TRANSACTION_TRANSITIONS = {
  PENDING: { execute: 'PROCESSING', settle: null, fail: 'FAILED', expire: 'EXPIRED', return: null },
  PROCESSING: { execute: null, settle: 'COMPLETED', fail: 'FAILED', expire: null, return: null },
  COMPLETED: { execute: null, settle: null, fail: null, expire: null, return: 'FAILED' },
  FAILED: { execute: null, settle: null, fail: null, expire: null, return: null },
  EXPIRED: { execute: null, settle: null, fail: null, expire: null, return: null },
} as const satisfies Record<
  OutgoingTransactionState,
  Record<OutgoingTransactionEvent, OutgoingTransactionState | null>
>
export const OUTGOING_TRANSACTION_INITIAL = 'PENDING' satisfies OutgoingTransactionState

export const TRANSFER_OUT_EVENTS = ['settle', 'reject', 'fail', 'expire', 'return'] as const
export type TransferOutEvent = (typeof TRANSFER_OUT_EVENTS)[number]

/**
 * The states of a transfer out, which are the states of an outgoing transaction; its amount is held from the
 * start, so there is no separate execution. `reject`, `expire`: the platform did not approve an agent's
 * transfer. `return`: the receiving bank returns it after delivery.
 */
export const TRANSFER_OUT_TRANSITIONS = {
  PENDING: { settle: 'COMPLETED', reject: 'FAILED', fail: 'FAILED', expire: 'EXPIRED', return: null },
  PROCESSING: { settle: null, reject: null, fail: null, expire: null, return: null },
  COMPLETED: { settle: null, reject: null, fail: null, expire: null, return: 'FAILED' },
  FAILED: { settle: null, reject: null, fail: null, expire: null, return: null },
  EXPIRED: { settle: null, reject: null, fail: null, expire: null, return: null },
} as const satisfies Record<
  OutgoingTransactionState,
  Record<TransferOutEvent, OutgoingTransactionState | null>
>
export const TRANSFER_OUT_INITIAL = 'PENDING' satisfies OutgoingTransactionState

export const INCOMING_TRANSACTION_STATES = [
  'CREATED',
  'PENDING',
  'PROCESSING',
  'COMPLETED',
  'REJECTED',
  'FAILED',
  'REFUNDED',
  'EXPIRED',
] as const
export type IncomingTransactionState = (typeof INCOMING_TRANSACTION_STATES)[number]

export const INCOMING_TRANSACTION_EVENTS = [
  'quote',
  'approve',
  'settle',
  'reject',
  'fail',
  'refund',
  'expire',
  'return',
] as const
export type IncomingTransactionEvent = (typeof INCOMING_TRANSACTION_EVENTS)[number]

/**
 * The states of a record of type INCOMING: money from outside, and transfers in.
 * - `approve`, `reject`: the platform has decided on a payment to one of its customers.
 * - `refund`: money that had arrived is returned.
 * - `return`: the bank takes a credited amount back.
 */
export const INCOMING_TRANSACTION_TRANSITIONS = {
  CREATED: {
    quote: 'PENDING',
    approve: null,
    settle: null,
    reject: null,
    fail: 'FAILED',
    refund: null,
    expire: 'EXPIRED',
    return: null,
  },
  PENDING: {
    quote: null,
    approve: 'PROCESSING',
    settle: 'COMPLETED',
    reject: 'REJECTED',
    fail: 'FAILED',
    refund: null,
    expire: 'EXPIRED',
    return: null,
  },
  PROCESSING: {
    quote: null,
    approve: null,
    settle: 'COMPLETED',
    reject: null,
    fail: 'FAILED',
    refund: 'REFUNDED',
    expire: null,
    return: null,
  },
  COMPLETED: {
    quote: null,
    approve: null,
    settle: null,
    reject: null,
    fail: null,
    refund: null,
    expire: null,
    return: 'REFUNDED',
  },
  REJECTED: {
    quote: null,
    approve: null,
    settle: null,
    reject: null,
    fail: null,
    refund: null,
    expire: null,
    return: null,
  },
  FAILED: {
    quote: null,
    approve: null,
    settle: null,
    reject: null,
    fail: null,
    refund: null,
    expire: null,
    return: null,
  },
  REFUNDED: {
    quote: null,
    approve: null,
    settle: null,
    reject: null,
    fail: null,
    refund: null,
    expire: null,
    return: null,
  },
  EXPIRED: {
    quote: null,
    approve: null,
    settle: null,
    reject: null,
    fail: null,
    refund: null,
    expire: null,
    return: null,
  },
} as const satisfies Record<
  IncomingTransactionState,
  Record<IncomingTransactionEvent, IncomingTransactionState | null>
>
/** No record starts as CREATED. */
export const INCOMING_TRANSACTION_INITIAL = 'PENDING' satisfies IncomingTransactionState

export const REFUND_STATES = ['PENDING', 'COMPLETED', 'FAILED'] as const
export type RefundState = (typeof REFUND_STATES)[number]

export const REFUND_EVENTS = ['complete', 'fail', 'return'] as const
export type RefundEvent = (typeof REFUND_EVENTS)[number]

/**
 * The states of a payment's refund.
 * - `complete`: the payer has received the money.
 * - `fail`: it has to be settled manually.
 * - `return`: the payer's bank has returned it, so it has to be settled manually after all.
 */
export const REFUND_TRANSITIONS = {
  PENDING: { complete: 'COMPLETED', fail: 'FAILED', return: null },
  COMPLETED: { complete: null, fail: null, return: 'FAILED' },
  FAILED: { complete: null, fail: null, return: null },
} as const satisfies Record<RefundState, Record<RefundEvent, RefundState | null>>
export const REFUND_INITIAL = 'PENDING' satisfies RefundState
