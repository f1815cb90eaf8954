import { OUTGOING_TRANSACTION_TRANSITIONS, QUOTE_TRANSITIONS } from '@countersign/contract/states'
import { balanceUpdated, findInternalAccount } from '../accounts/accounts.ts'
import type { Op } from '../app.ts'
import type { QuoteRow } from '../db/tables.ts'
import type { Write } from '../db/writes.ts'
import { event } from '../events/events.ts'
import type { JobHandler } from '../jobs/kinds.ts'
import { captureAll, type Leg, release } from '../ledger/ledger.ts'
import {
  findTransaction,
  type OutgoingRow,
  type TransactionWithCustomer,
  transactionView,
} from '../transactions/transactions.ts'
import { transition } from '../transition.ts'
import { findQuote } from './quotes.ts'

/** A quote that was not executed in time ends, and its transaction with it. */
export const expireQuote: JobHandler = async (op, payload) => {
  const quote = await findQuote(op, payload.quoteId as string)
  if (quote.state !== 'PENDING') return []
  const transaction = await findTransaction(op, quote.transaction_id)
  return [
    transition(op, 'quotes', QUOTE_TRANSITIONS, quote, 'expire').write,
    ...moveTransaction(op, transaction, 'expire', { failure_reason: 'QUOTE_EXPIRED' }),
  ]
}

/** Delivers an executed payment, then takes the held money, or gives it back where the rail could not deliver. */
export const settleTransaction: JobHandler = async (op, payload) => {
  const transaction = await findTransaction(op, payload.transactionId as string)
  if (transaction.state !== 'PROCESSING') return []
  if (!op.rail) throw new Error('There is no rail to pay by')
  const quote = await findQuote(op, transaction.quote_id!)
  const account = await findInternalAccount(op, quote.source_account_id)
  const delivery = await op.rail.deliver({
    transactionId: transaction.id,
    identifier: transaction.destination_identifier!,
    amount: quote.receiving_amount,
    currency: quote.receiving_currency,
    reference: transaction.reference,
  })
  if (delivery.outcome === 'failed')
    return [
      release(op, transaction.hold_id!, quote.source_account_id),
      transition(op, 'quotes', QUOTE_TRANSITIONS, quote, 'fail').write,
      ...moveTransaction(op, transaction, 'fail', { failure_reason: delivery.failureReason }),
      balanceUpdated(op, account),
    ]
  const held = {
    holdId: transaction.hold_id!,
    account: quote.source_account_id,
    amount: quote.sending_amount,
  }
  return [
    ...captureAll(op, { cause: 'quote', causeId: quote.id }, held, settlementLegs(quote)),
    transition(op, 'quotes', QUOTE_TRANSITIONS, quote, 'settle').write,
    ...moveTransaction(op, transaction, 'settle', { settled_at: op.now }),
    balanceUpdated(op, account),
  ]
}

/**
 * Where the money of a payment goes: out of the account; fees to us; and out by the rail, through the currency
 * position where it is converted.
 */
export function settlementLegs(quote: QuoteRow): Leg[] {
  const { sending_currency: sending, receiving_currency: receiving } = quote
  const delivered = quote.sending_amount - quote.fees
  return [
    { account: quote.source_account_id, amount: -quote.sending_amount },
    { system: 'fees', currency: sending, amount: quote.fees },
    ...(sending === receiving
      ? []
      : ([
          { system: 'fx', currency: sending, amount: delivered },
          { system: 'fx', currency: receiving, amount: -quote.receiving_amount },
        ] as const)),
    { system: 'rail', currency: receiving, amount: quote.receiving_amount },
  ]
}

const EVENT_OF = {
  expire: 'OUTGOING_PAYMENT.EXPIRED',
  fail: 'OUTGOING_PAYMENT.FAILED',
  settle: 'OUTGOING_PAYMENT.COMPLETED',
} as const

function moveTransaction(
  op: Op,
  transaction: TransactionWithCustomer,
  by: keyof typeof EVENT_OF,
  change: Partial<OutgoingRow>,
): Write[] {
  const moved = transition(
    op,
    'transactions',
    OUTGOING_TRANSACTION_TRANSITIONS,
    transaction as OutgoingRow,
    by,
    change,
  )
  return [moved.write, event(op, EVENT_OF[by], transaction.id, transactionView(moved.row, transaction))]
}
