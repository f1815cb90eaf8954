import { toCurrencyRecord } from '@countersign/contract/core/currencies'
import { present } from '@countersign/contract/core/objects'
import { canSee, type Op } from '../../kernel/operation/app.ts'
import { ApiError, type SignedCall } from '../../kernel/operation/operation.ts'
import { withBigints } from '../../kernel/transactions/transactions.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { QuoteRow } from '../../storage/rows/tables.ts'
import { buildFundingInstructions } from './funding-instructions.ts'
import { selectPayload, selectQuote } from './store.ts'

/** Throws 404 `QUOTE_NOT_FOUND`. */
export async function findQuote(op: Op, id: string): Promise<QuoteRow> {
  const quote = await selectQuote(op, id)
  if (!quote || !canSee(op, quote.customer_id))
    throw new ApiError('QUOTE_NOT_FOUND', { details: { field: 'quoteId' } })
  return quote
}

/**
 * The payload that an embedded wallet signs to execute a quote; undefined if the quote is paid by another
 * kind of account.
 */
export async function findPayload(op: Op, quote: QuoteRow): Promise<string | undefined> {
  return quote.signing_request_id === null ? undefined : selectPayload(op, quote.signing_request_id)
}

/** The call that a wallet's signature of a quote authorizes, regardless of the endpoint that executes it. */
export function buildExecutionCall(quoteId: string): SignedCall {
  return { operation: 'quote_execute', target: `POST /quotes/${quoteId}/execute`, body: undefined }
}

/**
 * A quote as the API shows it (specification 2.5). Its payment instructions contain the payload for a wallet
 * to sign or, with real-time funding, the account to pay.
 */
export function quoteView(op: Op, quote: QuoteRow, payloadToSign: string | undefined) {
  const instructions = buildPaymentInstructions(op, quote, payloadToSign)
  const { counterparty } = quote.request
  // The receiver disclosed this to the platform only.
  const isVisible = counterparty && op.actor.kind !== 'customer'
  return {
    id: quote.id,
    status: quote.state,
    createdAt: quote.created_at.toISOString(),
    expiresAt: quote.expires_at.toISOString(),
    source: toQuoteSourceView(quote),
    destination: toQuoteDestinationView(quote),
    sendingCurrency: toCurrencyRecord(quote.sending_currency),
    receivingCurrency: toCurrencyRecord(quote.receiving_currency),
    totalSendingAmount: quote.sending_amount,
    totalReceivingAmount: quote.receiving_amount,
    exchangeRate: quote.pricing.exchangeRate,
    feesIncluded: quote.fees,
    rateDetails: withBigints(quote.pricing.rateDetails),
    transactionId: quote.transaction_id,
    ...(isVisible ? { counterpartyInformation: counterparty } : {}),
    ...(instructions ? { paymentInstructions: instructions } : {}),
  }
}

function buildPaymentInstructions(op: Op, quote: QuoteRow, payloadToSign: string | undefined) {
  if (payloadToSign !== undefined)
    return [
      {
        accountOrWalletInfo: { accountType: 'EMBEDDED_WALLET' as const, payloadToSign },
        instructionsNotes: 'Sign payloadToSign with a session key of the wallet, then execute the quote.',
      },
    ]
  const { reference } = quote.request
  return reference === undefined ? undefined : buildFundingInstructions(op, quote, reference)
}

function toQuoteSourceView(quote: QuoteRow) {
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

function toQuoteDestinationView(quote: QuoteRow) {
  const currency = quote.receiving_currency
  return quote.destination_uma === null
    ? present({
        destinationType: 'ACCOUNT' as const,
        accountId: requireColumn(quote, 'destination_account_id'),
        currency,
        paymentRail: quote.payment_rail,
      })
    : { destinationType: 'UMA_ADDRESS' as const, umaAddress: quote.destination_uma, currency }
}
