import type { EventType } from '@countersign/contract/events/events'
import {
  INCOMING_TRANSACTION_TRANSITIONS,
  type IncomingTransactionEvent,
  OUTGOING_TRANSACTION_TRANSITIONS,
  type OutgoingTransactionEvent,
  REFUND_INITIAL,
  REFUND_TRANSITIONS,
  type RefundEvent,
  TRANSFER_OUT_TRANSITIONS,
  type TransferOutEvent,
} from '@countersign/contract/states/payment-states'
import { update, type Write } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { RefundRow, TransactionRow } from '../../storage/rows/tables.ts'
import type { Op } from '../operation/app.ts'
import { stateAfter, transition } from '../operation/transition.ts'
import { event } from '../outbox/events.ts'
import { makeReference, type TransactionWithCustomer, toTransactionView } from './transactions.ts'

/** Event types by the direction of the money and the state. */
const STATE_EVENTS = {
  DEBIT: {
    PENDING: 'OUTGOING_PAYMENT.PENDING',
    PROCESSING: 'OUTGOING_PAYMENT.PROCESSING',
    COMPLETED: 'OUTGOING_PAYMENT.COMPLETED',
    FAILED: 'OUTGOING_PAYMENT.FAILED',
    EXPIRED: 'OUTGOING_PAYMENT.EXPIRED',
  },
  CREDIT: {
    COMPLETED: 'INCOMING_PAYMENT.COMPLETED',
    FAILED: 'INCOMING_PAYMENT.FAILED',
    REJECTED: 'INCOMING_PAYMENT.FAILED',
    REFUNDED: 'INCOMING_PAYMENT.FAILED',
    EXPIRED: 'INCOMING_PAYMENT.FAILED',
  },
} as const satisfies Record<TransactionRow['direction'], Partial<Record<TransactionRow['state'], EventType>>>

/** The event for a transaction's current state. Some states have no event. */
export function announce(op: Op, transaction: TransactionWithCustomer): Write[] {
  const types: Partial<Record<TransactionRow['state'], EventType>> = STATE_EVENTS[transaction.direction]
  const type = types[transaction.state]
  return type ? [event(op, type, transaction.id, toTransactionView(transaction, transaction))] : []
}

type TransactionEvent = OutgoingTransactionEvent | IncomingTransactionEvent | TransferOutEvent
type Machine = Readonly<
  Record<TransactionRow['state'], Readonly<Record<TransactionEvent, TransactionRow['state'] | null>>>
>

/** The transition table for each kind of transaction. */
const MACHINES = {
  QUOTE: OUTGOING_TRANSACTION_TRANSITIONS,
  TRANSFER_OUT: TRANSFER_OUT_TRANSITIONS,
  TRANSFER_IN: INCOMING_TRANSACTION_TRANSITIONS,
  RECEIPT: INCOMING_TRANSACTION_TRANSITIONS,
} as const satisfies Record<TransactionRow['kind'], unknown>

/** Moves a transaction to its next state and emits an event. Guard: the state is unchanged. */
export function moveTransaction(
  op: Op,
  transaction: TransactionWithCustomer,
  transactionEvent: TransactionEvent,
  change: Partial<TransactionRow> = {},
): { readonly row: TransactionWithCustomer; readonly writes: readonly Write[] } {
  const machine = MACHINES[transaction.kind] as Machine
  const changed = transition(op, 'transactions', machine, transaction, transactionEvent, change)
  const row = { ...changed.row, platform_customer_id: transaction.platform_customer_id }
  return { row, writes: [changed.write, ...announce(op, row)] }
}

export function newRefund(op: Op, reason: RefundRow['reason']): RefundRow {
  return { reference: makeReference(op), status: REFUND_INITIAL, reason, initiatedAt: op.now.toISOString() }
}

const REFUND_EVENTS = {
  PENDING: 'OUTGOING_PAYMENT.REFUND_PENDING',
  COMPLETED: 'OUTGOING_PAYMENT.REFUND_COMPLETED',
  FAILED: 'OUTGOING_PAYMENT.REFUND_FAILED',
} as const

/** The event for the current status of a refund. */
export function announceRefund(op: Op, transaction: TransactionWithCustomer): Write {
  const type = REFUND_EVENTS[requireColumn(transaction, 'refund').status]
  return event(op, type, transaction.id, toTransactionView(transaction, transaction))
}

/** Ends a refund and emits an event. Guard: the refund is unchanged since `transaction` was read. */
export function endRefund(op: Op, transaction: TransactionWithCustomer, by: RefundEvent): readonly Write[] {
  const refund = requireColumn(transaction, 'refund')
  const status = stateAfter(REFUND_TRANSITIONS, refund.status, by, transaction.id)
  const endedRefund: RefundRow = { ...refund, status, settledAt: op.now.toISOString() }
  const change = { refund: endedRefund, updated_at: op.now }
  return [
    update('transactions', transaction.id, { refund }, change),
    announceRefund(op, { ...transaction, ...change }),
  ]
}
