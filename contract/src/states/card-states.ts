export const CARD_STATES = ['PENDING_KYC', 'PROCESSING', 'ACTIVE', 'FROZEN', 'CLOSED'] as const
export type CardState = (typeof CARD_STATES)[number]

export const CARD_EVENTS = [
  'approve',
  'refuse',
  'provision',
  'reject',
  'freeze',
  'unfreeze',
  'close',
  'delete',
] as const
export type CardEvent = (typeof CARD_EVENTS)[number]

/**
 * The states of a card (specification 3.1). Events not listed here are the cardholder's, with a signature.
 * - `approve`, `refuse`: the cardholder's verification has finished
 * - `provision`, `reject`: the issuer has responded
 * - `delete`: the cardholder was deleted
 * - `freeze`, `unfreeze`: also by the platform, for safety, which can unfreeze only its own freeze
 */
export const CARD_TRANSITIONS = {
  PENDING_KYC: {
    approve: 'PROCESSING',
    refuse: 'CLOSED',
    provision: null,
    reject: null,
    freeze: null,
    unfreeze: null,
    close: null,
    delete: 'CLOSED',
  },
  PROCESSING: {
    approve: null,
    refuse: null,
    provision: 'ACTIVE',
    reject: 'CLOSED',
    freeze: null,
    unfreeze: null,
    close: null,
    delete: 'CLOSED',
  },
  ACTIVE: {
    approve: null,
    refuse: null,
    provision: null,
    reject: null,
    freeze: 'FROZEN',
    unfreeze: null,
    close: 'CLOSED',
    delete: 'CLOSED',
  },
  FROZEN: {
    approve: null,
    refuse: null,
    provision: null,
    reject: null,
    freeze: null,
    unfreeze: 'ACTIVE',
    close: 'CLOSED',
    delete: 'CLOSED',
  },
  CLOSED: {
    approve: null,
    refuse: null,
    provision: null,
    reject: null,
    freeze: null,
    unfreeze: null,
    close: null,
    delete: null,
  },
} as const satisfies Record<CardState, Record<CardEvent, CardState | null>>
export const CARD_INITIAL = 'PENDING_KYC' satisfies CardState

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
 * The states of a card purchase.
 * - `clear_part`: the merchant claims part of the amount and may claim more.
 * - `clear_rest`: the merchant has claimed the authorized amount or more.
 * - `expire`: the merchant will claim nothing more, after a clearing of 0 or after seven days.
 * - `pull_fail`: the claimed amount could not be taken from the funding source.
 * - `return_part`, `return_rest`: the merchant refunds some or all of its claims, and no hold remains.
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

/** A key is created only after its authorization was signed, so none starts as PENDING. */
export const DELEGATED_KEY_TRANSITIONS = {
  PENDING: { revoke: 'REVOKED' },
  ACTIVE: { revoke: 'REVOKED' },
  REVOKED: { revoke: null },
} as const satisfies Record<DelegatedKeyState, Record<DelegatedKeyEvent, DelegatedKeyState | null>>
export const DELEGATED_KEY_INITIAL = 'ACTIVE' satisfies DelegatedKeyState
