import { currencyRecord, type KnownCurrency } from '@countersign/contract/currencies'
import { OUTGOING_TRANSACTION_TRANSITIONS, QUOTE_TRANSITIONS } from '@countersign/contract/states'
import { balanceUpdated } from '../accounts/accounts.ts'
import type { Op } from '../app.ts'
import type { InternalAccountRow, QuoteRow, TransactionRow } from '../db/tables.ts'
import type { Write } from '../db/writes.ts'
import { event } from '../events/events.ts'
import { job } from '../jobs/jobs.ts'
import { hold } from '../ledger/ledger.ts'
import { ApiError } from '../operation.ts'
import {
  type OutgoingRow,
  type RateSummary,
  type TransactionWithCustomer,
  transactionView,
  withBigints,
} from '../transactions/transactions.ts'
import { nextState, transition } from '../transition.ts'
import { selectQuote } from './store.ts'

/** Error: 404 `QUOTE_NOT_FOUND`. */
export async function findQuote(op: Op, id: string): Promise<QuoteRow> {
  const quote = await selectQuote(op, id)
  if (!quote) throw new ApiError('QUOTE_NOT_FOUND', { details: { field: 'quoteId' } })
  return quote
}

/** Errors: 400 `QUOTE_EXPIRED`, 409 `CONFLICT` where the quote was executed or ended before. */
export function checkExecutable(op: Op, quote: QuoteRow): void {
  const isLate = quote.expires_at <= op.now
  if (quote.state === 'EXPIRED' || (quote.state === 'PENDING' && isLate)) throw new ApiError('QUOTE_EXPIRED')
  if (nextState(QUOTE_TRANSITIONS, quote.state, 'execute') === null)
    throw new ApiError('CONFLICT', {
      message: `The quote cannot be executed: it is ${quote.state}.`,
      details: { status: quote.state },
    })
}

/**
 * Executes a quote: its amount is held at once, and settling it is due now. Guards: the quote and its transaction have
 * not moved, the account can spend the amount.
 */
export function executeQuote(
  op: Op,
  account: InternalAccountRow,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
): { readonly quote: QuoteRow; readonly writes: Write[] } {
  const cause = { cause: 'quote', causeId: quote.id } as const
  const { holdId, write } = hold(op, cause, account.id, quote.sending_amount)
  const paying = transition(op, 'quotes', QUOTE_TRANSITIONS, quote, 'execute')
  const moving = transition(
    op,
    'transactions',
    OUTGOING_TRANSACTION_TRANSITIONS,
    transaction as OutgoingRow,
    'execute',
    {
      hold_id: holdId,
    },
  )
  const view = transactionView(moving.row, transaction)
  return {
    quote: paying.row,
    writes: [
      write,
      paying.write,
      moving.write,
      event(op, 'OUTGOING_PAYMENT.PROCESSING', transaction.id, view),
      balanceUpdated(op, account),
      job(op, 'transaction.settle', { transactionId: transaction.id }, op.now),
    ],
  }
}

/** A quote as the API shows it (specification 2.5). A wallet's payload stands in its payment instructions. */
export function quoteView(quote: QuoteRow, payloadToSign: string | undefined) {
  const pricing = quote.pricing as unknown as RateSummary
  const { customerId } = quote.request as { customerId?: string }
  return {
    id: quote.id,
    status: quote.state,
    createdAt: quote.created_at.toISOString(),
    expiresAt: quote.expires_at.toISOString(),
    source: {
      sourceType: 'ACCOUNT' as const,
      accountId: quote.source_account_id,
      ...(customerId ? { customerId } : {}),
    },
    destination: {
      destinationType: 'ACCOUNT' as const,
      accountId: quote.destination_account_id,
      currency: quote.receiving_currency,
      ...(quote.payment_rail ? { paymentRail: quote.payment_rail as 'ACH' } : {}),
    },
    sendingCurrency: currencyRecord(quote.sending_currency as KnownCurrency),
    receivingCurrency: currencyRecord(quote.receiving_currency as KnownCurrency),
    totalSendingAmount: quote.sending_amount,
    totalReceivingAmount: quote.receiving_amount,
    exchangeRate: pricing.exchangeRate,
    feesIncluded: quote.fees,
    rateDetails: withBigints(pricing.rateDetails),
    transactionId: quote.transaction_id,
    ...(payloadToSign === undefined
      ? {}
      : {
          paymentInstructions: [
            {
              accountOrWalletInfo: { accountType: 'EMBEDDED_WALLET' as const, payloadToSign },
              instructionsNotes:
                'Sign payloadToSign with a session key of the wallet, then execute the quote.',
            },
          ],
        }),
  }
}

/** The transaction that pays a quote, not yet executed. */
export function makeTransaction(
  op: Op,
  quote: QuoteRow,
  rest: Pick<TransactionRow, 'description' | 'reference' | 'destination_identifier'>,
): TransactionRow {
  return {
    id: quote.transaction_id,
    platform_id: op.platform.id,
    customer_id: quote.customer_id,
    type: 'OUTGOING',
    direction: 'DEBIT',
    state: 'PENDING',
    source_account_id: quote.source_account_id,
    destination_account_id: quote.destination_account_id,
    source_identifier: null,
    sent_amount: quote.sending_amount,
    sent_currency: quote.sending_currency,
    received_amount: quote.receiving_amount,
    received_currency: quote.receiving_currency,
    fees: quote.fees,
    quote_id: quote.id,
    hold_id: null,
    failure_reason: null,
    details: { rates: quote.pricing },
    settled_at: null,
    created_at: op.now,
    updated_at: op.now,
    ...rest,
  }
}
