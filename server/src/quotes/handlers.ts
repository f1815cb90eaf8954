import { accountType, type ExternalAccountTypeName } from '@countersign/contract/account-types'
import { isKnownCurrency, type KnownCurrency } from '@countersign/contract/currencies'
import type { BodyOf } from '@countersign/contract/endpoint'
import type { quote_create, quote_execute, quote_get } from '@countersign/contract/quotes'
import { findInternalAccount } from '../accounts/accounts.ts'
import { type Op, plusSeconds } from '../app.ts'
import { findCustomer } from '../customers/customers.ts'
import type { CustomerRow, ExternalAccountRow, InternalAccountRow, QuoteRow } from '../db/tables.ts'
import { insert } from '../db/writes.ts'
import { event } from '../events/events.ts'
import { findExternalAccount } from '../external-accounts/external-accounts.ts'
import { INT64_MAX } from '../int64.ts'
import { job } from '../jobs/jobs.ts'
import { findBalances } from '../ledger/ledger.ts'
import { ApiError, fieldError, type Handler, type SignedHandler } from '../operation.ts'
import { currencyConfig, platformConfig } from '../platforms/platforms.ts'
import { issueRequest } from '../signing/signing.ts'
import { findTransaction, makeReference, transactionView } from '../transactions/transactions.ts'
import { exchangeRate, feesOf, inWords, type Price, price, rateDetails } from './pricing.ts'
import { checkExecutable, executeQuote, findQuote, makeTransaction, quoteView } from './quotes.ts'
import { selectPayload } from './store.ts'

/** Rails that settle in seconds hold a rate for five minutes, the others for fifteen (specification 2.5). */
const INSTANT_RAILS: ReadonlySet<string> = new Set([
  'RTP',
  'FEDNOW',
  'SEPA_INSTANT',
  'SPEI',
  'PIX',
  'UPI',
  'FASTER_PAYMENTS',
])
const INSTANT_SECONDS = 5 * 60
const OTHER_SECONDS = 15 * 60

type QuoteBody = BodyOf<typeof quote_create>

export const quoteCreate: Handler<typeof quote_create> = async (op, { body }) => {
  const { customer, source, destination } = await findParties(op, body)
  if (!op.rates || !op.rail)
    throw new ApiError('NOT_IMPLEMENTED', { message: 'This server has no rates and no rail to pay by.' })
  const sending = source.currency as KnownCurrency
  const receiving = destination.currency as KnownCurrency
  const found = price(op.rates, sending, receiving, body.lockedCurrencySide, body.lockedCurrencyAmount)
  if (!found)
    throw fieldError('INVALID_AMOUNT', 'lockedCurrencyAmount', 'The amount is too small for this payment.')
  checkLimits(op, sending, found)
  const isWallet = source.type === 'EMBEDDED_WALLET'
  if (isWallet && body.immediatelyExecute)
    throw fieldError(
      'INVALID_INPUT',
      'immediatelyExecute',
      'An embedded wallet signs before its quote is executed',
    )

  const rail = body.destination.destinationType === 'ACCOUNT' ? (body.destination.paymentRail ?? null) : null
  const quote: QuoteRow = {
    id: op.newId('Quote'),
    platform_id: op.platform.id,
    customer_id: customer.id,
    state: 'PENDING',
    source_account_id: source.id,
    destination_account_id: destination.id,
    payment_rail: rail,
    sending_currency: sending,
    receiving_currency: receiving,
    sending_amount: found.sendingAmount,
    receiving_amount: found.receivingAmount,
    fees: feesOf(found),
    pricing: { exchangeRate: exchangeRate(found), rateDetails: rateDetails(op.rates, sending, found) },
    request: keptOfRequest(body),
    signing_request_id: null,
    transaction_id: op.newId('Transaction'),
    expires_at: plusSeconds(
      op.now,
      rail && INSTANT_RAILS.has(rail) ? INSTANT_SECONDS : validitySeconds(destination),
    ),
    created_at: op.now,
    updated_at: op.now,
  }
  const transaction = makeTransaction(op, quote, {
    description: body.description ?? null,
    reference: makeReference(op),
    destination_identifier: destination.identifier,
  })
  const signing = isWallet ? signingRequest(op, quote, destination) : undefined
  const complete = signing ? { ...quote, signing_request_id: signing.requestId } : quote
  const writes = [
    ...(signing ? [signing.write] : []),
    insert('quotes', complete),
    insert('transactions', transaction),
    event(op, 'OUTGOING_PAYMENT.PENDING', transaction.id, transactionView(transaction, customer)),
    job(op, 'quote.expire', { quoteId: quote.id }, quote.expires_at),
  ]
  if (!body.immediatelyExecute)
    return { status: 201, body: quoteView(complete, signing?.payloadToSign), writes }
  await checkBalance(op, quote)
  const executed = executeQuote(op, source, quote, {
    ...transaction,
    platform_customer_id: customer.platform_customer_id,
  })
  return { status: 201, body: quoteView(executed.quote, undefined), writes: [...writes, ...executed.writes] }
}

export const quoteGet: Handler<typeof quote_get> = async (op, { params }) => ({
  status: 200,
  body: await viewOf(op, await findQuote(op, params.quoteId)),
})

export const quoteExecute: SignedHandler<typeof quote_execute> = {
  async authorize(op, { params }, isSigned) {
    const quote = await findQuote(op, params.quoteId)
    if (quote.signing_request_id === null) return null
    // With a signature, the request it answers says whether it was used or has expired.
    if (!isSigned) {
      checkExecutable(op, quote)
      await checkParties(op, quote)
      await checkBalance(op, quote)
    }
    return { requestId: quote.signing_request_id }
  },

  async handle(op, { params, approval }) {
    const quote = await findQuote(op, params.quoteId)
    if (quote.signing_request_id !== (approval?.requestId ?? null))
      throw new ApiError('WALLET_SIGNATURE_BODY_MISMATCH', { reason: 'The signature is for another quote' })
    checkExecutable(op, quote)
    await checkParties(op, quote)
    await checkBalance(op, quote)
    const account = await findInternalAccount(op, quote.source_account_id)
    const executed = executeQuote(op, account, quote, await findTransaction(op, quote.transaction_id))
    return { status: 200, body: await viewOf(op, executed.quote), writes: executed.writes }
  },
}

interface Parties {
  readonly customer: CustomerRow
  readonly source: InternalAccountRow
  readonly destination: ExternalAccountRow
}

/** Who pays whom. What belongs to another customer is as if it were not there. */
async function findParties(op: Op, body: QuoteBody): Promise<Parties> {
  const { source, destination } = body
  if (source.sourceType !== 'ACCOUNT' || destination.destinationType !== 'ACCOUNT')
    throw new ApiError('NOT_IMPLEMENTED', { message: 'Quotes go from an ACCOUNT to an ACCOUNT so far.' })
  if (!destination.accountId.startsWith('ExternalAccount:'))
    throw new ApiError('NOT_IMPLEMENTED', { message: 'Quotes go to external accounts so far.' })
  const account = await findInternalAccount(op, source.accountId, 'source.accountId')
  const customerId = account.customer_id ?? source.customerId
  if (!customerId)
    throw fieldError(
      'INVALID_INPUT',
      'source.customerId',
      'source.customerId is required with an account of the platform',
    )
  if (source.customerId && source.customerId !== customerId)
    throw fieldError('INVALID_INPUT', 'source.customerId', 'source.accountId belongs to another customer')
  const customer = await findCustomer(op, customerId, 'source.customerId')
  if (customer.verification_status !== 'APPROVED') throw new ApiError('USER_NOT_READY')
  const external = await findExternalAccount(op, destination.accountId, 'destination.accountId')
  if (external.customer_id !== customer.id)
    throw new ApiError('ACCOUNT_NOT_FOUND', { details: { field: 'destination.accountId' } })
  checkDestination(body, external)
  return { customer, source: account, destination: external }
}

/** Both sides are still there. Errors: 410 `CUSTOMER_DELETED`, 404 `ACCOUNT_NOT_FOUND`. */
async function checkParties(op: Op, quote: QuoteRow): Promise<void> {
  await findCustomer(op, quote.customer_id, 'quoteId')
  await findExternalAccount(op, quote.destination_account_id, 'quoteId')
}

function checkDestination(body: QuoteBody, external: ExternalAccountRow): void {
  if (body.destination.destinationType !== 'ACCOUNT') return
  const { currency, paymentRail } = body.destination
  if (currency && currency !== external.currency)
    throw fieldError('INVALID_CURRENCY', 'destination.currency', `This account receives ${external.currency}`)
  if (!isKnownCurrency(external.currency))
    throw fieldError('INVALID_CURRENCY', 'destination.accountId', `There is no rate for ${external.currency}`)
  const rails: readonly string[] = accountType(external.account_type as ExternalAccountTypeName).rails ?? []
  if (paymentRail && !rails.includes(paymentRail))
    throw fieldError(
      'INVALID_INPUT',
      'destination.paymentRail',
      `This account is reached by ${rails.join(', ') || 'no named rail'}`,
    )
}

/** Without a rail named, the slowest of the account's decides. */
function validitySeconds(destination: ExternalAccountRow): number {
  const rails: readonly string[] =
    accountType(destination.account_type as ExternalAccountTypeName).rails ?? []
  return rails.every((rail) => INSTANT_RAILS.has(rail)) ? INSTANT_SECONDS : OTHER_SECONDS
}

function checkLimits(op: Op, sending: KnownCurrency, found: Price): void {
  if (found.sendingAmount > INT64_MAX || found.receivingAmount > INT64_MAX)
    throw fieldError(
      'AMOUNT_OUT_OF_RANGE',
      'lockedCurrencyAmount',
      'The amount is too large for this payment.',
    )
  const limits = currencyConfig(platformConfig(op), sending)
  if (limits && !limits.enabledTransactionTypes.includes('OUTGOING'))
    throw new ApiError('QUOTE_REQUEST_FAILED', { message: `The platform does not send ${sending}.` })
  if (limits && (found.sendingAmount < limits.minAmount || found.sendingAmount > limits.maxAmount))
    throw new ApiError('AMOUNT_OUT_OF_RANGE', {
      message: `A payment in ${sending} is from ${limits.minAmount} to ${limits.maxAmount}, this one is ${found.sendingAmount}.`,
      details: { field: 'lockedCurrencyAmount', minAmount: limits.minAmount, maxAmount: limits.maxAmount },
    })
}

/** Error: 400 `INSUFFICIENT_BALANCE`. The hold is guarded as well; this gives the caller the numbers. */
async function checkBalance(op: Op, quote: QuoteRow): Promise<void> {
  const balance = (await findBalances(op.read, [quote.source_account_id])).get(quote.source_account_id)
  const available = balance?.available ?? 0n
  if (available < quote.sending_amount)
    throw new ApiError('INSUFFICIENT_BALANCE', {
      message: `The account can spend ${inWords(available, quote.sending_currency as KnownCurrency)}, the quote takes ${inWords(quote.sending_amount, quote.sending_currency as KnownCurrency)}.`,
      details: { available, required: quote.sending_amount },
    })
}

/** What the wallet signs to execute this quote: the payment in words, and the quote as it will be executed. */
function signingRequest(
  op: Op,
  quote: QuoteRow,
  destination: ExternalAccountRow,
): ReturnType<typeof issueRequest> {
  const sends = inWords(quote.sending_amount, quote.sending_currency as KnownCurrency)
  const delivers = inWords(quote.receiving_amount, quote.receiving_currency as KnownCurrency)
  const to = describeDestination(destination)
  const call = { operation: 'quote_execute', target: `POST /quotes/${quote.id}/execute`, body: undefined }
  return issueRequest(op, call, {
    accountId: quote.source_account_id,
    statement: {
      summary: `Pay ${sends}, fees included, so that ${to} receives ${delivers}`,
      quote: quote.id,
      sends: { amount: quote.sending_amount, currency: quote.sending_currency },
      feesIncluded: quote.fees,
      delivers: { amount: quote.receiving_amount, currency: quote.receiving_currency },
      destination: { account: destination.id, description: to },
    },
    expiresAt: quote.expires_at,
  })
}

function describeDestination({ account_info, account_type, identifier }: ExternalAccountRow): string {
  const beneficiary = (account_info as { beneficiary?: { fullName?: string; legalName?: string } })
    .beneficiary
  const name = beneficiary?.fullName ?? beneficiary?.legalName
  const account = `${account_type} ending ${identifier.slice(-4)}`
  return name ? `${name} (${account})` : account
}

function keptOfRequest(body: QuoteBody): Record<string, unknown> {
  const { lockedCurrencySide, lockedCurrencyAmount, purposeOfPayment, lookupId, senderCustomerInfo } = body
  const customerId = body.source.customerId
  const kept = {
    customerId,
    lockedCurrencySide,
    lockedCurrencyAmount,
    purposeOfPayment,
    lookupId,
    senderCustomerInfo,
  }
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined))
}

async function viewOf(op: Op, quote: QuoteRow) {
  const payload =
    quote.signing_request_id === null ? undefined : await selectPayload(op, quote.signing_request_id)
  return quoteView(quote, payload)
}
