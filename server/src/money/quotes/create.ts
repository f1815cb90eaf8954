import type { KnownCurrency } from '@countersign/contract/core/currencies'
import { present } from '@countersign/contract/core/objects'
import type { Payload } from '@countersign/contract/signing/payloads'
import { OUTGOING_TRANSACTION_INITIAL, QUOTE_INITIAL } from '@countersign/contract/states/payment-states'
import { exchangeRate, formatCurrencyAmount, rateDetails, totalFees } from '../../base/pricing/pricing.ts'
import { describeInternalAccount } from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { addSeconds } from '../../kernel/operation/app.ts'
import { createFieldError } from '../../kernel/operation/operation.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { issueRequest } from '../../kernel/signing/signing.ts'
import { announce } from '../../kernel/transactions/moves.ts'
import { makeReference, newTransaction } from '../../kernel/transactions/transactions.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { StoredQuoteRequest } from '../../storage/rows/stored-documents.ts'
import type { CustomerRow, QuoteRow, TransactionRow } from '../../storage/rows/tables.ts'
import { describeAccount } from '../external-accounts/describe.ts'
import { findChain } from '../external-accounts/external-accounts.ts'
import { checkPosition } from '../prices/positions.ts'
import { Velocity } from '../rails/velocity.ts'
import { checkStillAllowed } from '../uma/allowed-counterparties.ts'
import { pickRequired } from '../uma/counterparty.ts'
import { checkLookup } from '../uma/lookups.ts'
import { checkSenderKnown } from '../uma/required-sender-info.ts'
import { priceQuoteAmounts } from './amounts.ts'
import { buildChainTransfers, describeTransfers } from './chain-transfers.ts'
import { checkBalance, checkPull, executeQuote } from './execute-quote.ts'
import { buildFundingInstructions } from './funding-instructions.ts'
import { findParties, getValiditySeconds, type Parties, type Payee, type QuoteBody } from './parties.ts'
import { buildExecutionCall } from './quotes.ts'
import { getFunding } from './settlement.ts'

export interface CreatedQuote {
  readonly quote: QuoteRow
  /** The payload that an embedded wallet must sign to execute the quote. */
  readonly payloadToSign: string | undefined
  readonly writes: readonly Write[]
}

/** Creates a quote with a locked rate, and executes it immediately if requested. */
export async function createQuote(op: Op, body: QuoteBody): Promise<CreatedQuote> {
  const parties = await findParties(op, body)
  checkImmediateExecution(body, parties)
  if (body.lookupId !== undefined) checkLookup(op, body.lookupId, toLookupReceiver(parties.payee))
  const { quote, writes: railWrites } = await priceQuote(op, body, parties)
  await checkPosition(op, quote)
  const { customer, payer, payee } = parties
  const disclosures = {
    ...present({ PURPOSE_OF_PAYMENT: body.purposeOfPayment }),
    ...body.senderCustomerInfo,
  }
  if (payee.kind === 'uma') checkSenderKnown(payee.requiredFields, customer, disclosures)
  const transaction = { ...buildTransaction(op, body, quote, parties), ...pickPlatformCustomerId(customer) }
  const signing =
    payer.kind === 'account' && payer.account.type === 'EMBEDDED_WALLET'
      ? issueSigningRequest(op, quote, payee)
      : undefined
  const signableQuote = signing ? { ...quote, signing_request_id: signing.requestId } : quote
  const { platform_customer_id: _, ...row } = transaction
  const writes = [
    ...(signing ? [signing.write] : []),
    insert('quotes', signableQuote),
    ...railWrites,
    insert('transactions', row),
    ...announce(op, transaction),
    job(op, 'quote.expire', { quoteId: quote.id }, quote.expires_at),
  ]
  if (getFunding(quote) === 'PULLED') await checkPull(op, quote)
  // A quote with real-time funding is executed when its payment arrives.
  if (!body.immediatelyExecute || payer.kind === 'funding')
    return { quote: signableQuote, payloadToSign: signing?.payloadToSign, writes }
  const account = payer.kind === 'account' ? payer.account : undefined
  if (account) await checkBalance(op, quote)
  const guards =
    payee.kind === 'uma' ? await checkStillAllowed(op, payee.umaAddress, 'destination.umaAddress') : []
  const velocityWrites = await new Velocity(op).admit(transaction)
  const execution = { account, guards: [...guards, ...velocityWrites] }
  const executed = executeQuote(op, execution, quote, transaction)
  return { quote: executed.quote, payloadToSign: undefined, writes: [...writes, ...executed.writes] }
}

/** The receiver as a lookup identifies it. */
function toLookupReceiver(payee: Payee): string {
  if (payee.kind === 'external') return payee.account.id
  return payee.kind === 'uma' ? payee.umaAddress : (payee.umaAddress ?? payee.account.id)
}

function checkImmediateExecution(body: QuoteBody, { payer }: Parties): void {
  if (body.immediatelyExecute && payer.kind === 'account' && payer.account.type === 'EMBEDDED_WALLET')
    throw createFieldError(
      'INVALID_INPUT',
      'immediatelyExecute',
      'A quote from an embedded wallet cannot be executed immediately, because the wallet must sign it first.',
    )
}

async function priceQuote(
  op: Op,
  body: QuoteBody,
  { customer, payer, payee }: Parties,
): Promise<{ readonly quote: QuoteRow; readonly writes: readonly Write[] }> {
  const [sending, receiving] = [payer.currency, payee.currency]
  const rail = body.destination.destinationType === 'ACCOUNT' ? body.destination.paymentRail : undefined
  const id = op.newId('Quote')
  const { rates, quotedPrice, quoteRails } = await priceQuoteAmounts(
    op,
    id,
    body,
    { payer, payee },
    rail ?? null,
  )
  const quote: QuoteRow = {
    id,
    platform_id: op.platform.id,
    customer_id: customer?.id ?? null,
    state: QUOTE_INITIAL,
    source_account_id: payer.kind === 'funding' ? null : payer.account.id,
    source_network: payer.kind === 'funding' ? payer.network : null,
    destination_account_id: payee.kind === 'uma' ? null : payee.account.id,
    destination_uma: payee.kind === 'external' ? null : (payee.umaAddress ?? null),
    payment_rail: rail ?? null,
    sending_currency: sending,
    receiving_currency: receiving,
    sending_amount: quotedPrice.sendingAmount,
    receiving_amount: quotedPrice.receivingAmount,
    fees: totalFees(quotedPrice),
    pricing: {
      exchangeRate: exchangeRate(quotedPrice),
      rateDetails: rateDetails(rates, sending, quotedPrice),
    },
    request: {
      ...pickStoredFields(body),
      ...(payer.kind === 'funding' ? { reference: makeReference(op) } : {}),
      ...(payer.kind === 'pull' ? { pullRail: payer.rail } : {}),
      ...quoteRails.storedRoute,
      ...pickCounterparty(op, sending, payee),
    },
    signing_request_id: null,
    transaction_id: op.newId('Transaction'),
    pull_state: null,
    position_limit: null,
    expires_at: addSeconds(op.now, getValiditySeconds(payer, payee, rail)),
    created_at: op.now,
    updated_at: op.now,
  }
  return { quote, writes: quoteRails.writes }
}

/** Builds the transaction of a new quote. */
function buildTransaction(
  op: Op,
  body: QuoteBody,
  quote: QuoteRow,
  { payer, payee }: Parties,
): TransactionRow {
  const { reference, counterparty } = quote.request
  return newTransaction(op, {
    id: quote.transaction_id,
    kind: 'QUOTE',
    type: 'OUTGOING',
    direction: 'DEBIT',
    state: OUTGOING_TRANSACTION_INITIAL,
    customer_id: quote.customer_id,
    source_account_id: quote.source_account_id,
    source_identifier: payer.kind === 'pull' ? payer.account.identifier : null,
    destination_account_id: quote.destination_account_id,
    destination_identifier: getIdentifier(payee),
    sent_amount: quote.sending_amount,
    sent_currency: quote.sending_currency,
    received_amount: quote.receiving_amount,
    received_currency: quote.receiving_currency,
    fees: quote.fees,
    quote_id: quote.id,
    payment_rail: quote.payment_rail,
    description: body.description ?? null,
    details: {
      rates: quote.pricing,
      ...(payee.kind === 'external' ? present({ chain: findChain(payee.account) }) : {}),
      ...(counterparty ? { counterparty } : {}),
      ...(quote.destination_uma ? { uma: quote.destination_uma } : {}),
      ...(reference ? { paymentInstructions: buildFundingInstructions(op, quote, reference) } : {}),
    },
    ...(reference ? { reference } : {}),
  })
}

/** The data that the receiver at an UMA address discloses to the platform. Agents cannot see it. */
function pickCounterparty(
  op: Op,
  sending: KnownCurrency,
  payee: Payee,
): Pick<StoredQuoteRequest, 'counterparty'> {
  if (op.actor.kind === 'agent' || payee.kind === 'external') return {}
  const counterparty = pickRequired(op, sending, payee.counterparty ?? {})
  return Object.keys(counterparty).length > 0 ? { counterparty } : {}
}

function getIdentifier(payee: Payee): string | null {
  if (payee.kind === 'external') return payee.account.identifier
  return payee.umaAddress ?? null
}

function pickPlatformCustomerId(customer: CustomerRow | null) {
  return { platform_customer_id: customer?.platform_customer_id ?? null }
}

/**
 * Issues the signing request that executes this quote. Its summary describes the payment; its other fields
 * fix the exact quote.
 */
function issueSigningRequest(op: Op, quote: QuoteRow, payee: Payee): ReturnType<typeof issueRequest> {
  const sends = formatCurrencyAmount(quote.sending_amount, quote.sending_currency)
  const delivers = formatCurrencyAmount(quote.receiving_amount, quote.receiving_currency)
  const chain =
    quote.request.wallet && buildChainTransfers(op, quote, quote.request.payTo ?? getIdentifier(payee))
  return issueRequest(op, buildExecutionCall(quote.id), {
    accountId: requireColumn(quote, 'source_account_id'),
    statement: {
      operation: 'quote_execute',
      summary: chain
        ? describeTransfers(chain, quote.sending_currency, quote, describePayee(payee), delivers)
        : `Pay ${sends}, fees included, so that ${describePayee(payee)} receives ${delivers}`,
      quote: quote.id,
      sends: { amount: quote.sending_amount, currency: quote.sending_currency },
      feesIncluded: quote.fees,
      delivers: { amount: quote.receiving_amount, currency: quote.receiving_currency },
      destination: toSignedDestination(quote, payee),
      ...present({ chain }),
    },
    // The wallet's own key signs only on the authority of a stamp.
    ...(chain ? { context: { needsStamp: true } } : {}),
    expiresAt: quote.expires_at,
  })
}

function describePayee(payee: Payee): string {
  if (payee.kind === 'external') return describeAccount(payee.account)
  return payee.kind === 'uma'
    ? payee.umaAddress
    : (payee.umaAddress ?? describeInternalAccount(payee.account))
}

type SignedDestination = Payload<'quote_execute'>['destination']

/**
 * The destination in the signed payload, with all data that the rail will use. The data comes from the stored
 * version of the account, which never changes.
 */
function toSignedDestination(quote: QuoteRow, payee: Payee): SignedDestination {
  const { destination_uma, payment_rail, receiving_currency: currency } = quote
  if (payee.kind === 'uma' || destination_uma !== null)
    return { destinationType: 'UMA_ADDRESS', umaAddress: requireColumn(quote, 'destination_uma'), currency }
  return present({
    destinationType: 'ACCOUNT' as const,
    accountId: payee.account.id,
    currency,
    paymentRail: payment_rail,
    accountInfo: payee.kind === 'external' ? payee.account.account_info : undefined,
  })
}

function pickStoredFields(body: QuoteBody): Record<string, unknown> {
  const { lockedCurrencySide, lockedCurrencyAmount, purposeOfPayment, lookupId, senderCustomerInfo } = body
  const customerId = body.source.customerId
  const storedRequest = {
    customerId,
    lockedCurrencySide,
    lockedCurrencyAmount,
    purposeOfPayment,
    lookupId,
    senderCustomerInfo,
  }
  return Object.fromEntries(Object.entries(storedRequest).filter(([, value]) => value !== undefined))
}
