/**
 * States that the API does not show, as tables like those in `contract/src/states/`. Database functions write
 * some of them; `schema/states.test.ts` compares their SQL with these tables.
 */
export type ReservationState = 'RESERVED' | 'CAPTURED' | 'RELEASED'
export type ReservationEvent = 'capture' | 'release'

/**
 * The part of an agent's limits that a payment uses. `capture`: the payment has started. `release`: it ended
 * without success and its money was returned.
 */
export const RESERVATION_TRANSITIONS = {
  RESERVED: { capture: 'CAPTURED', release: 'RELEASED' },
  CAPTURED: { capture: null, release: 'RELEASED' },
  RELEASED: { capture: null, release: null },
} as const satisfies Record<ReservationState, Record<ReservationEvent, ReservationState | null>>
export const RESERVATION_INITIAL = 'RESERVED' satisfies ReservationState

export type TransferState = 'pending' | 'posted' | 'voided'
export type TransferEvent = 'post' | 'void'

/**
 * A ledger transfer. While it is pending, its amount is held. Only the database changes it, together with the
 * balances.
 */
export const TRANSFER_TRANSITIONS = {
  pending: { post: 'posted', void: 'voided' },
  posted: { post: null, void: null },
  voided: { post: null, void: null },
} as const satisfies Record<TransferState, Record<TransferEvent, TransferState | null>>
export const TRANSFER_INITIAL = 'pending' satisfies TransferState

export type StoredFileState = 'STAGED' | 'KEPT' | 'REMOVED'
export type StoredFileEvent = 'keep' | 'remove'

/** A stored file. `keep`: a record refers to it. `remove`: no record refers to it, or none ever did. */
export const STORED_FILE_TRANSITIONS = {
  STAGED: { keep: 'KEPT', remove: 'REMOVED' },
  KEPT: { keep: null, remove: 'REMOVED' },
  REMOVED: { keep: null, remove: null },
} as const satisfies Record<StoredFileState, Record<StoredFileEvent, StoredFileState | null>>
export const STORED_FILE_INITIAL = 'STAGED' satisfies StoredFileState

export type RailPaymentState = 'GIVEN' | 'ACCEPTED' | 'DELIVERED' | 'FAILED' | 'RETURNED' | 'CANCELLED'
export type RailPaymentEvent = 'accept' | 'deliver' | 'fail' | 'return' | 'cancel'

/**
 * A payment submitted to a rail, in the state last reported. Reports arrive in any order, so a later state
 * may come first. Outdated reports change nothing (`rails/reports.ts`), and reports that contradict a final
 * state wait for manual review.
 */
export const RAIL_PAYMENT_TRANSITIONS = {
  GIVEN: {
    accept: 'ACCEPTED',
    deliver: 'DELIVERED',
    fail: 'FAILED',
    return: 'RETURNED',
    cancel: 'CANCELLED',
  },
  ACCEPTED: { accept: null, deliver: 'DELIVERED', fail: 'FAILED', return: 'RETURNED', cancel: 'CANCELLED' },
  DELIVERED: { accept: null, deliver: null, fail: null, return: 'RETURNED', cancel: null },
  FAILED: { accept: null, deliver: null, fail: null, return: null, cancel: null },
  RETURNED: { accept: null, deliver: null, fail: null, return: null, cancel: null },
  CANCELLED: { accept: null, deliver: null, fail: null, return: null, cancel: null },
} as const satisfies Record<RailPaymentState, Record<RailPaymentEvent, RailPaymentState | null>>
export const RAIL_PAYMENT_INITIAL = 'GIVEN' satisfies RailPaymentState

export type RailEventState = 'APPLIED' | 'WAITING' | 'RESOLVED'

export type RailEventEvent = 'apply' | 'resolve' | 'reopen'

/**
 * A rail report that matches nothing waits until an operator reviews it, or until its subject arrives or
 * ends, and then takes effect. It waits again if the booking that resolved it is undone.
 */
export const RAIL_EVENT_TRANSITIONS = {
  APPLIED: { apply: null, resolve: null, reopen: null },
  WAITING: { apply: 'APPLIED', resolve: 'RESOLVED', reopen: null },
  RESOLVED: { apply: null, resolve: null, reopen: 'WAITING' },
} as const satisfies Record<RailEventState, Record<RailEventEvent, RailEventState | null>>
/** A report that takes effect immediately is also recorded as applied. */
export const RAIL_EVENT_INITIAL = 'WAITING' as const satisfies RailEventState

export type BankFileState =
  | 'COLLECTING'
  | 'WRITING'
  | 'READY'
  | 'WRITTEN'
  | 'ACKNOWLEDGED'
  | 'REJECTED'
  | 'DROPPED'
export type BankFileEvent = 'close' | 'drop' | 'whole' | 'rename' | 'acknowledge' | 'reject'

/**
 * A file for a bank.
 * - `close`: no more payments are added.
 * - `drop`: it is never written, because its only row, a reversal, must no longer be sent.
 * - `whole`: it is complete, under a temporary name that the bank ignores.
 * - `rename`: it has its final name and is never written again.
 * - `acknowledge`, `reject`: the bank acknowledged or rejected the whole file.
 */
export const BANK_FILE_TRANSITIONS = {
  COLLECTING: { close: 'WRITING', drop: null, whole: null, rename: null, acknowledge: null, reject: null },
  WRITING: { close: null, drop: 'DROPPED', whole: 'READY', rename: null, acknowledge: null, reject: null },
  READY: { close: null, drop: null, whole: null, rename: 'WRITTEN', acknowledge: null, reject: null },
  WRITTEN: {
    close: null,
    drop: null,
    whole: null,
    rename: null,
    acknowledge: 'ACKNOWLEDGED',
    reject: 'REJECTED',
  },
  ACKNOWLEDGED: { close: null, drop: null, whole: null, rename: null, acknowledge: null, reject: null },
  REJECTED: { close: null, drop: null, whole: null, rename: null, acknowledge: null, reject: null },
  DROPPED: { close: null, drop: null, whole: null, rename: null, acknowledge: null, reject: null },
} as const satisfies Record<BankFileState, Record<BankFileEvent, BankFileState | null>>
export const BANK_FILE_INITIAL = 'COLLECTING' satisfies BankFileState

export type BankInboxState = 'READING' | 'READ' | 'REFUSED'
export type BankInboxEvent = 'read' | 'refuse' | 'retry'

/**
 * A file from a bank.
 * - `read`: all of it has taken effect
 * - `refuse`: it is unreadable and has no effect
 * - `retry`: it is read again
 */
export const BANK_INBOX_TRANSITIONS = {
  READING: { read: 'READ', refuse: 'REFUSED', retry: null },
  READ: { read: null, refuse: null, retry: null },
  REFUSED: { read: null, refuse: null, retry: 'READING' },
} as const satisfies Record<BankInboxState, Record<BankInboxEvent, BankInboxState | null>>
export const BANK_INBOX_INITIAL = 'READING' satisfies BankInboxState
export const BANK_INBOX_REFUSED = BANK_INBOX_TRANSITIONS.READING.refuse

export type ChainPaymentState = 'WAITING' | 'SENT' | 'PAID' | 'FAILED'
export type ChainPaymentEvent = 'send' | 'retry' | 'pay' | 'fail' | 'lose'

/**
 * A transfer on a chain.
 * - `send`: a transaction carries it
 * - `retry`: that transaction did not execute it, and another one may
 * - `pay`: it is in a confirmed block, whether or not we sent it
 * - `fail`: no transaction can carry it any more
 * - `lose`: that block was reorganized away, and the payment is pending again
 */
export const CHAIN_PAYMENT_TRANSITIONS = {
  WAITING: { send: 'SENT', retry: null, pay: 'PAID', fail: 'FAILED', lose: null },
  SENT: { send: null, retry: 'WAITING', pay: 'PAID', fail: 'FAILED', lose: null },
  PAID: { send: null, retry: null, pay: null, fail: null, lose: 'SENT' },
  FAILED: { send: null, retry: null, pay: null, fail: null, lose: null },
} as const satisfies Record<ChainPaymentState, Record<ChainPaymentEvent, ChainPaymentState | null>>
export const CHAIN_PAYMENT_INITIAL = 'WAITING' satisfies ChainPaymentState

export type ChainTransactionState = 'OPEN' | 'MINED' | 'DONE'
export type ChainTransactionEvent = 'mine' | 'unmine' | 'confirm' | 'lose'

/**
 * A transaction with its nonce. `unmine`: its block left the chain. `lose`: that block had already been
 * confirmed.
 */
export const CHAIN_TRANSACTION_TRANSITIONS = {
  OPEN: { mine: 'MINED', unmine: null, confirm: null, lose: null },
  MINED: { mine: 'MINED', unmine: 'OPEN', confirm: 'DONE', lose: null },
  DONE: { mine: null, unmine: null, confirm: null, lose: 'OPEN' },
} as const satisfies Record<
  ChainTransactionState,
  Record<ChainTransactionEvent, ChainTransactionState | null>
>
export const CHAIN_TRANSACTION_INITIAL = 'OPEN' satisfies ChainTransactionState

export type ChainMovementState = 'BOOKED' | 'UNSURE' | 'GONE'
export type ChainMovementEvent = 'doubt' | 'book' | 'lose'

/**
 * A transfer seen on a chain.
 * - `doubt`: its block left the chain
 * - `book`: another block has it
 * - `lose`: no block has it; if it reappears, it is a new movement
 */
export const CHAIN_MOVEMENT_TRANSITIONS = {
  BOOKED: { doubt: 'UNSURE', book: null, lose: null },
  UNSURE: { doubt: null, book: 'BOOKED', lose: 'GONE' },
  GONE: { doubt: null, book: null, lose: null },
} as const satisfies Record<ChainMovementState, Record<ChainMovementEvent, ChainMovementState | null>>
export const CHAIN_MOVEMENT_INITIAL = 'BOOKED' satisfies ChainMovementState
