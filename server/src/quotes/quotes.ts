import { currencyRecord } from '@countersign/contract/core/currencies'
import { PULL_INITIAL, QUOTE_TRANSITIONS } from '@countersign/contract/core/states'
import { balanceUpdated } from '../accounts/accounts.ts'
import { expectRow, type Write } from '../db/commit/writes.ts'
import { required } from '../db/read/required.ts'
import type { InternalAccountRow, QuoteRow, TransactionRow } from '../db/schema/tables.ts'
import { job } from '../jobs/jobs.ts'
import { hold } from '../ledger/ledger.ts'
import { maySee, type Op } from '../op/app.ts'
import { ApiError, type SignedCall } from '../op/operation.ts'
import { present } from '../op/present.ts'
import { nextState, transition } from '../op/transition.ts'
import { limitFor } from '../positions/positions.ts'
import { givenToRail } from '../rails/rail-payments.ts'
import { moveTransaction } from '../transactions/moves.ts'
import { type TransactionWithCustomer, withBigints } from '../transactions/transactions.ts'
import { paymentOf, pullOf } from './carried.ts'
import { isCollected } from './on-chain.ts'
import { quoteFundingInstructions } from './realtime.ts'
import { heldFor, isDeliveredHere } from './settlement.ts'
import { selectPayload, selectQuote } from './store.ts'

/** Error: 404 `QUOTE_NOT_FOUND`. */
export async function findQuote(op: Op, id: string): Promise<QuoteRow> {
  const quote = await selectQuote(op, id)
  if (!quote || !maySee(op, quote.customer_id))
    throw new ApiError('QUOTE_NOT_FOUND', { details: { field: 'quoteId' } })
  return quote
}

/** The payload that an embedded wallet signs to execute a quote; undefined where another account pays. */
export async function findPayload(op: Op, quote: QuoteRow): Promise<string | undefined> {
  return quote.signing_request_id === null ? undefined : selectPayload(op, quote.signing_request_id)
}

/** The call that the wallet's signature of a quote covers, whichever endpoint executes it. */
export function executionCall(quoteId: string): SignedCall {
  return { operation: 'quote_execute', target: `POST /quotes/${quoteId}/execute`, body: undefined }
}

/** Errors: 400 `QUOTE_EXPIRED`, 409 `CONFLICT` where the quote was already executed or has ended. */
export function checkExecutable(op: Op, quote: QuoteRow): void {
  const isLate = quote.expires_at <= op.now
  if (quote.state === 'EXPIRED' || (quote.state === 'PENDING' && isLate)) throw new ApiError('QUOTE_EXPIRED')
  if (nextState(QUOTE_TRANSITIONS, quote.state, 'execute') === null)
    throw new ApiError('CONFLICT', {
      message: `The quote cannot be executed: it is ${quote.state}.`,
      details: { status: quote.state },
    })
}

/** What `checkExecution` found: the internal account that pays, if any, and the guards of its checks. */
export interface Execution {
  readonly account: InternalAccountRow | undefined
  readonly guards: readonly Write[]
}

/**
 * Executes a quote that an account pays. An internal account holds the amount at once, and the settlement is due now; from a
 * wallet on a chain the money may have to be collected before. From an external account it is pulled in first. Guards: quote and
 * transaction are unchanged, the account can spend the amount.
 */
export function executeQuote(
  op: Op,
  { account, guards }: Execution,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
): { readonly quote: QuoteRow; readonly transaction: TransactionWithCustomer; readonly writes: Write[] } {
  if (!account) {
    const begun = beginPull(op, quote, transaction)
    return { ...begun, writes: [...guards, ...begun.writes] }
  }
  const cause = { cause: 'quote', causeId: quote.id } as const
  const { holdId, write } = hold(op, cause, heldFor(quote, account.id))
  const held = { hold_id: holdId }
  const begun = isCollected(quote)
    ? beginPull(op, quote, transaction, held)
    : beginSettlement(op, quote, transaction, held)
  return { ...begun, writes: [...guards, write, ...begun.writes, balanceUpdated(op, account)] }
}

/**
 * Starts the pull of a quote: quote and transaction become PROCESSING, and the pull is due now. Guard: the payer is not
 * deleted meanwhile, as there may be no internal account to guard that.
 */
function beginPull(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  held: Partial<TransactionRow> = {},
) {
  const pull = pullOf(quote, transaction)
  const opensAt = opening(op, pull)
  const change = { ...held, ...waiting(op, transaction, {}, opensAt) }
  const begun = begin(op, quote, transaction, { pull_state: PULL_INITIAL }, change)
  const payload = { transactionId: transaction.id, executedAt: op.now.toISOString() }
  const { customer_id } = quote
  const payerIsThere = customer_id === null ? [] : [expectRow('customers', customer_id, { deleted_at: null })]
  return {
    ...begun,
    writes: [
      ...payerIsThere,
      ...begun.writes,
      ...givenToRail(op, pull, opensAt),
      job(op, 'transaction.pull', payload, opensAt),
    ],
  }
}

/** Starts the settlement of a quote whose money is there: quote and transaction become PROCESSING, and the job is due now. */
export function beginSettlement(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  change: Partial<TransactionRow> = {},
) {
  const opensAt = isDeliveredHere(quote) ? op.now : opening(op, paymentOf(quote, transaction))
  const begun = begin(op, quote, transaction, {}, { ...change, ...waiting(op, transaction, change, opensAt) })
  return { ...begun, writes: [...begun.writes, ...settlement(op, quote, transaction)] }
}

function begin(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  quoteChange: Partial<QuoteRow>,
  change: Partial<TransactionRow>,
) {
  const limit = limitFor(op, quote)
  const paying = transition(op, 'quotes', QUOTE_TRANSITIONS, quote, 'execute', {
    ...quoteChange,
    // Left out where nothing is counted: the committer has a statement of its own for that change.
    ...(limit === null ? {} : { position_limit: limit }),
  })
  const moving = moveTransaction(op, transaction, 'execute', change)
  return { quote: paying.row, transaction: moving.row, writes: [paying.write, ...moving.writes] }
}

/** When a rail takes a payment that is made now. One that is gone takes it once it is back. */
function opening(op: Op, { rail }: { readonly rail: string | null }): Date {
  return op.rails.find(rail)?.opensAt(op.now) ?? op.now
}

/** What a transaction says while its rail is closed. */
function waiting(
  op: Op,
  transaction: TransactionRow,
  change: Partial<TransactionRow>,
  opensAt: Date,
): Partial<TransactionRow> {
  if (opensAt <= op.now) return {}
  return { details: { ...(change.details ?? transaction.details), submitsAt: opensAt.toISOString() } }
}

/**
 * The work that delivers a payment whose money is there: its record at the rail, and the job, due at once or when the rail
 * opens.
 */
export function settlement(op: Op, quote: QuoteRow, transaction: TransactionRow): Write[] {
  const payload = { transactionId: transaction.id, executedAt: op.now.toISOString() }
  if (isDeliveredHere(quote)) return [job(op, 'transaction.settle', payload, op.now)]
  const payment = paymentOf(quote, transaction)
  const opensAt = opening(op, payment)
  return [...givenToRail(op, payment, opensAt), job(op, 'transaction.settle', payload, opensAt)]
}

/**
 * A quote as the API shows it (specification 2.5). Its payment instructions have the payload that a wallet signs or, with
 * real-time funding, where to pay.
 */
export function quoteView(op: Op, quote: QuoteRow, payloadToSign: string | undefined) {
  const instructions = paymentInstructions(op, quote, payloadToSign)
  const { counterparty } = quote.request
  // The receiver has told the platform, and nobody else.
  const isToldToCaller = counterparty && op.actor.kind !== 'customer'
  return {
    id: quote.id,
    status: quote.state,
    createdAt: quote.created_at.toISOString(),
    expiresAt: quote.expires_at.toISOString(),
    source: sourceView(quote),
    destination: destinationView(quote),
    sendingCurrency: currencyRecord(quote.sending_currency),
    receivingCurrency: currencyRecord(quote.receiving_currency),
    totalSendingAmount: quote.sending_amount,
    totalReceivingAmount: quote.receiving_amount,
    exchangeRate: quote.pricing.exchangeRate,
    feesIncluded: quote.fees,
    rateDetails: withBigints(quote.pricing.rateDetails),
    transactionId: quote.transaction_id,
    ...(isToldToCaller ? { counterpartyInformation: counterparty } : {}),
    ...(instructions ? { paymentInstructions: instructions } : {}),
  }
}

function paymentInstructions(op: Op, quote: QuoteRow, payloadToSign: string | undefined) {
  if (payloadToSign !== undefined)
    return [
      {
        accountOrWalletInfo: { accountType: 'EMBEDDED_WALLET' as const, payloadToSign },
        instructionsNotes: 'Sign payloadToSign with a session key of the wallet, then execute the quote.',
      },
    ]
  const { reference } = quote.request
  return reference === undefined ? undefined : quoteFundingInstructions(op, quote, reference)
}

function sourceView(quote: QuoteRow) {
  const { customerId } = quote.request
  return quote.source_account_id === null
    ? present({
        sourceType: 'REALTIME_FUNDING' as const,
        currency: quote.sending_currency,
        customerId,
        cryptoNetwork: quote.source_network,
      })
    : present({ sourceType: 'ACCOUNT' as const, accountId: quote.source_account_id, customerId })
}

function destinationView(quote: QuoteRow) {
  const currency = quote.receiving_currency
  return quote.destination_uma === null
    ? present({
        destinationType: 'ACCOUNT' as const,
        accountId: required(quote, 'destination_account_id'),
        currency,
        paymentRail: quote.payment_rail,
      })
    : { destinationType: 'UMA_ADDRESS' as const, umaAddress: quote.destination_uma, currency }
}
