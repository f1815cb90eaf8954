/**
 * The states that the API shows, as tables: the state that an event leads to, or null where the event cannot happen. Every
 * cell is written. `INITIAL` is the state in which a record begins; one that begins further on begins where an event
 * leads to from there.
 */
export const QUOTE_STATES = ['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'EXPIRED'] as const
export type QuoteState = (typeof QUOTE_STATES)[number]

export const QUOTE_EVENTS = ['execute', 'settle', 'fail', 'expire'] as const
export type QuoteEvent = (typeof QUOTE_EVENTS)[number]

/** A quote is executed at most once; a payment returned later changes its transaction, not the quote. */
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
 * The pull of a quote's money from an external account, which starts with the execution. `fail`: the bank refuses it.
 * `return`: the bank takes the money back, whatever the state of the quote is by then.
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
 * The life of a transfer out, in the states of an outgoing transaction: its amount is held from the start, so it is not
 * executed. `reject`, `expire`: the platform did not approve the transfer of an agent. `return`: the receiving bank sends
 * it back after it was delivered.
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
 * The life of a record of type INCOMING: money from outside, and transfers in. `approve`, `reject`: the platform's
 * decision about a payment to one of its customers. `refund`: money that had arrived is returned. `return`: the bank takes
 * back what was credited.
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
/** Nothing begins as CREATED here. */
export const INCOMING_TRANSACTION_INITIAL = 'PENDING' satisfies IncomingTransactionState

export const REFUND_STATES = ['PENDING', 'COMPLETED', 'FAILED'] as const
export type RefundState = (typeof REFUND_STATES)[number]

export const REFUND_EVENTS = ['complete', 'fail', 'return'] as const
export type RefundEvent = (typeof REFUND_EVENTS)[number]

/**
 * The way back of a payment's money. `complete`: it is with the payer again. `fail`: somebody has to settle it by hand.
 * `return`: the payer's bank has sent it back, so that somebody has to after all.
 */
export const REFUND_TRANSITIONS = {
  PENDING: { complete: 'COMPLETED', fail: 'FAILED', return: null },
  COMPLETED: { complete: null, fail: null, return: 'FAILED' },
  FAILED: { complete: null, fail: null, return: null },
} as const satisfies Record<RefundState, Record<RefundEvent, RefundState | null>>
export const REFUND_INITIAL = 'PENDING' satisfies RefundState

export const AGENT_ACTION_STATES = ['PENDING_APPROVAL', 'APPROVED', 'REJECTED', 'FAILED'] as const
export type AgentActionState = (typeof AGENT_ACTION_STATES)[number]

export const AGENT_ACTION_EVENTS = ['approve', 'reject', 'fail'] as const
export type AgentActionEvent = (typeof AGENT_ACTION_EVENTS)[number]

/**
 * The life of an agent's action. `approve`: it is executed; its transaction shows the outcome of the payment. `fail`:
 * it was not decided in time, or a check failed at its approval.
 */
export const AGENT_ACTION_TRANSITIONS = {
  PENDING_APPROVAL: { approve: 'APPROVED', reject: 'REJECTED', fail: 'FAILED' },
  APPROVED: { approve: null, reject: null, fail: null },
  REJECTED: { approve: null, reject: null, fail: null },
  FAILED: { approve: null, reject: null, fail: null },
} as const satisfies Record<AgentActionState, Record<AgentActionEvent, AgentActionState | null>>
export const AGENT_ACTION_INITIAL = 'PENDING_APPROVAL' satisfies AgentActionState

export const CARD_STATES = ['PENDING_KYC', 'PROCESSING', 'ACTIVE', 'FROZEN', 'CLOSED'] as const
export type CardState = (typeof CARD_STATES)[number]

export const CARD_EVENTS = ['provision', 'reject', 'freeze', 'unfreeze', 'close', 'delete'] as const
export type CardEvent = (typeof CARD_EVENTS)[number]

/**
 * The life of a card (specification 3.1). `provision`, `reject`: the issuer's answer. `delete`: the cardholder was
 * deleted. The others are the cardholder's, by signature. A cardholder is approved before a card is issued, so no card
 * of this server is PENDING_KYC.
 */
export const CARD_TRANSITIONS = {
  PENDING_KYC: { provision: null, reject: null, freeze: null, unfreeze: null, close: null, delete: 'CLOSED' },
  PROCESSING: {
    provision: 'ACTIVE',
    reject: 'CLOSED',
    freeze: null,
    unfreeze: null,
    close: null,
    delete: 'CLOSED',
  },
  ACTIVE: {
    provision: null,
    reject: null,
    freeze: 'FROZEN',
    unfreeze: null,
    close: 'CLOSED',
    delete: 'CLOSED',
  },
  FROZEN: {
    provision: null,
    reject: null,
    freeze: null,
    unfreeze: 'ACTIVE',
    close: 'CLOSED',
    delete: 'CLOSED',
  },
  CLOSED: { provision: null, reject: null, freeze: null, unfreeze: null, close: null, delete: null },
} as const satisfies Record<CardState, Record<CardEvent, CardState | null>>
export const CARD_INITIAL = 'PROCESSING' satisfies CardState

export const CARD_TRANSACTION_STATES = [
  'AUTHORIZED',
  'PARTIALLY_SETTLED',
  'SETTLED',
  'REFUNDED',
  'EXCEPTION',
] as const
export type CardTransactionState = (typeof CARD_TRANSACTION_STATES)[number]

export const CARD_TRANSACTION_EVENTS = [
  'clear_part',
  'clear_rest',
  'expire',
  'pull_fail',
  'return_part',
  'return_rest',
] as const
export type CardTransactionEvent = (typeof CARD_TRANSACTION_EVENTS)[number]

/**
 * The life of a purchase by card. `clear_part`: the merchant claims some and may claim more. `clear_rest`: it has
 * claimed what was authorized, or more. `expire`: it claims nothing more, by a clearing of 0 or after seven days.
 * `pull_fail`: the claimed amount could not be taken from the funding source. `return_part`, `return_rest`: it returns
 * some or all of its claims, and no hold remains.
 */
export const CARD_TRANSACTION_TRANSITIONS = {
  AUTHORIZED: {
    clear_part: 'PARTIALLY_SETTLED',
    clear_rest: 'SETTLED',
    expire: 'SETTLED',
    pull_fail: null,
    return_part: null,
    return_rest: null,
  },
  PARTIALLY_SETTLED: {
    clear_part: 'PARTIALLY_SETTLED',
    clear_rest: 'SETTLED',
    expire: 'SETTLED',
    pull_fail: 'EXCEPTION',
    return_part: 'PARTIALLY_SETTLED',
    return_rest: 'REFUNDED',
  },
  SETTLED: {
    clear_part: 'SETTLED',
    clear_rest: 'SETTLED',
    expire: null,
    pull_fail: 'EXCEPTION',
    return_part: 'SETTLED',
    return_rest: 'REFUNDED',
  },
  REFUNDED: {
    clear_part: null,
    clear_rest: null,
    expire: null,
    pull_fail: 'REFUNDED',
    return_part: null,
    return_rest: null,
  },
  EXCEPTION: {
    clear_part: 'EXCEPTION',
    clear_rest: 'EXCEPTION',
    expire: 'EXCEPTION',
    pull_fail: 'EXCEPTION',
    return_part: 'EXCEPTION',
    return_rest: 'REFUNDED',
  },
} as const satisfies Record<CardTransactionState, Record<CardTransactionEvent, CardTransactionState | null>>
export const CARD_TRANSACTION_INITIAL = 'AUTHORIZED' satisfies CardTransactionState

export const DELEGATED_KEY_STATES = ['PENDING', 'ACTIVE', 'REVOKED'] as const
export type DelegatedKeyState = (typeof DELEGATED_KEY_STATES)[number]
export type DelegatedKeyEvent = 'revoke'

/** A key is signed for before it is made, so none is PENDING here. */
export const DELEGATED_KEY_TRANSITIONS = {
  PENDING: { revoke: 'REVOKED' },
  ACTIVE: { revoke: 'REVOKED' },
  REVOKED: { revoke: null },
} as const satisfies Record<DelegatedKeyState, Record<DelegatedKeyEvent, DelegatedKeyState | null>>
export const DELEGATED_KEY_INITIAL = 'ACTIVE' satisfies DelegatedKeyState

export const MESSAGE_STATES = ['QUEUED', 'DELIVERED', 'FAILED'] as const
export type MessageState = (typeof MESSAGE_STATES)[number]

export const MESSAGE_EVENTS = ['deliver', 'fail'] as const
export type MessageEvent = (typeof MESSAGE_EVENTS)[number]

/** `deliver`: the mail server or the SMS gateway accepted the message. `fail`: there are no more attempts. */
export const MESSAGE_TRANSITIONS = {
  QUEUED: { deliver: 'DELIVERED', fail: 'FAILED' },
  DELIVERED: { deliver: null, fail: null },
  FAILED: { deliver: null, fail: null },
} as const satisfies Record<MessageState, Record<MessageEvent, MessageState | null>>
export const MESSAGE_INITIAL = 'QUEUED' satisfies MessageState

export const WEBHOOK_DELIVERY_STATES = ['PENDING', 'DELIVERED', 'FAILED'] as const
export type WebhookDeliveryState = (typeof WEBHOOK_DELIVERY_STATES)[number]
export type WebhookDeliveryEvent = 'deliver' | 'retry' | 'fail'

/**
 * What an attempt makes of the delivery of an event. `retry`: there will be another attempt. `fail`: it was the last one.
 * What was asked for again is attempted again: what was received once stays so, however the repetition goes.
 */
export const WEBHOOK_DELIVERY_TRANSITIONS = {
  PENDING: { deliver: 'DELIVERED', retry: 'PENDING', fail: 'FAILED' },
  DELIVERED: { deliver: 'DELIVERED', retry: 'DELIVERED', fail: 'DELIVERED' },
  FAILED: { deliver: 'DELIVERED', retry: 'FAILED', fail: 'FAILED' },
} as const satisfies Record<WebhookDeliveryState, Record<WebhookDeliveryEvent, WebhookDeliveryState | null>>
export const WEBHOOK_DELIVERY_INITIAL = 'PENDING' satisfies WebhookDeliveryState
