import { type KnownCurrency, toCurrencyRecord } from '@countersign/contract/core/currencies'
import { present } from '@countersign/contract/core/objects'
import { PAYMENT_RAILS } from '@countersign/contract/core/rails'
import {
  INCOMING_FAILURE_REASONS,
  OUTGOING_FAILURE_REASONS,
} from '@countersign/contract/payments/transactions'
import {
  OUTGOING_TRANSACTION_STATES,
  type OutgoingTransactionState,
} from '@countersign/contract/states/payment-states'
import type { OwnRateDetails, RateSummary } from '../../base/pricing/pricing.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { StoredJson } from '../../storage/rows/stored-documents.ts'
import type { TransactionRow } from '../../storage/rows/tables.ts'
import { canSee, type Op } from '../operation/app.ts'
import { ApiError } from '../operation/operation.ts'
import { selectTransaction, type TransactionWithCustomer, toPlatformCustomerId } from './store.ts'

export type { TransactionWithCustomer } from './store.ts'

/** Throws 404 `TRANSACTION_NOT_FOUND`. */
export async function findTransaction(op: Op, id: string): Promise<TransactionWithCustomer> {
  const row = await selectTransaction(op, id)
  if (!row || !canSee(op, row.customer_id))
    throw new ApiError('TRANSACTION_NOT_FOUND', { details: { field: 'transactionId' } })
  return row
}

/** Creates a payment reference that is short enough for any rail, and unique within its platform. */
export function makeReference(op: Op): string {
  return `CS${Buffer.from(op.random(6)).toString('hex').toUpperCase()}`
}

type TransactionInput = Pick<
  TransactionRow,
  'kind' | 'type' | 'direction' | 'state' | 'customer_id' | 'sent_amount' | 'sent_currency'
> &
  Pick<TransactionRow, 'received_amount' | 'received_currency'> &
  Partial<TransactionRow>

/** Creates a transaction. Columns missing in `input` are null. */
export function newTransaction(op: Op, input: TransactionInput): TransactionRow {
  return {
    id: input.id ?? op.newId('Transaction'),
    platform_id: op.platform.id,
    source_account_id: null,
    destination_account_id: null,
    source_identifier: null,
    destination_identifier: null,
    fees: null,
    quote_id: null,
    hold_id: null,
    payment_rail: null,
    remittance_information: null,
    description: null,
    reference: input.reference ?? makeReference(op),
    failure_reason: null,
    refund: null,
    details: {},
    receipt_delivery_confirmed_at: null,
    agent_id: op.actor.kind === 'agent' ? op.actor.agentId : null,
    settled_at: null,
    created_at: op.now,
    updated_at: op.now,
    ...input,
  }
}

/** A transaction as the API shows it (specification 2.11). */
export function toTransactionView(
  row: TransactionRow,
  customer: Pick<TransactionWithCustomer, 'platform_customer_id'>,
) {
  const common = toCommonView(row, customer)
  return row.type === 'OUTGOING' ? toOutgoingView(row, common) : toIncomingView(row, common)
}

/** The view for the caller. Customers do not see what the counterparty disclosed to the platform. */
export function toCallerView(op: Op, row: TransactionWithCustomer) {
  const view = toTransactionView(row, row)
  if (op.actor.kind !== 'customer') return view
  const { counterpartyInformation: _, ...shown } = view
  return shown
}

/**
 * The response that starts an outgoing transfer. It is the only place where its type is INCOMING
 * (specification 4.11).
 */
export function toTransferOutResponse(row: TransactionWithCustomer) {
  return {
    ...toIncomingView(row, toCommonView(row, row)),
    ...present({
      sentAmount: toMoneySent(row),
      rateDetails: getOwnRates(row),
    }),
  }
}

function toCommonView(
  row: TransactionRow,
  { platform_customer_id }: Pick<TransactionWithCustomer, 'platform_customer_id'>,
) {
  return {
    id: row.id,
    direction: row.direction,
    destination: toDestinationView(row),
    customerId: row.customer_id ?? toPlatformCustomerId(row.platform_id),
    platformCustomerId: platform_customer_id ?? row.platform_id,
    fees: row.fees,
    description: row.description,
    counterpartyInformation: row.details.counterparty,
    reconciliationInstructions:
      row.state === 'CREATED'
        ? undefined
        : present({ reference: row.reference, transactionHash: row.details.transactionHash }),
    agentId: row.agent_id,
    waitsUntil: getSubmitTime(row),
    receiptDeliveryConfirmedAt: row.receipt_delivery_confirmed_at?.toISOString(),
    settledAt: row.settled_at?.toISOString(),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** The time until which a payment waits for its rail to open. Undefined once it is submitted. */
function getSubmitTime({ details: { submitsAt }, settled_at, failure_reason }: TransactionRow) {
  return settled_at === null && failure_reason === null ? submitsAt : undefined
}

function toOutgoingView<Common extends object>(row: TransactionRow, common: Common) {
  const { rates, paymentInstructions } = row.details
  return present({
    type: 'OUTGOING' as const,
    status: toOutgoingState(row),
    ...common,
    source: toSourceView(row),
    sentAmount: toMoneySent(row),
    receivedAmount: toMoneyReceived(row),
    exchangeRate: rates?.exchangeRate,
    rateDetails: rates ? withBigints(rates.rateDetails) : getOwnRates(row),
    quoteId: row.quote_id,
    paymentInstructions,
    refund: row.refund,
    failureReason: OUTGOING_FAILURE_REASONS.find((reason) => reason === row.failure_reason),
  })
}

function toIncomingView<Common extends object>(row: TransactionRow, common: Common) {
  return present({
    type: 'INCOMING' as const,
    status: row.state,
    ...common,
    source: toSourceView(row),
    receivedAmount: toMoneyReceived(row),
    failureReason: INCOMING_FAILURE_REASONS.find((reason) => reason === row.failure_reason),
  })
}

/** Throws for states that outgoing transactions never reach. */
function toOutgoingState({ id, state }: TransactionRow): OutgoingTransactionState {
  const outgoing = OUTGOING_TRANSACTION_STATES.find((candidate) => candidate === state)
  if (outgoing === undefined) throw new Error(`${id} is outgoing, but ${state}`)
  return outgoing
}

/** The source of the money, or nothing if an external payment does not name one. */
function toSourceView(row: TransactionRow) {
  const currency = row.sent_currency ?? requireColumn(row, 'received_currency')
  if (row.source_account_id !== null)
    return { sourceType: 'ACCOUNT' as const, accountId: row.source_account_id, currency }
  if (row.source_identifier !== null)
    return { sourceType: 'UMA_ADDRESS' as const, umaAddress: row.source_identifier, currency }
  return present({
    sourceType: 'REALTIME_FUNDING' as const,
    currency,
    customerId: row.customer_id,
    ...getSender(row),
  })
}

/** Sender information reported by the rail. */
function getSender({ details: { sender: report } }: TransactionRow) {
  if (!report) return {}
  const { sender, remittanceInformation, endToEndId, traceNumber } = report
  return {
    accountHolderName: sender?.name,
    accountIdentifier: sender?.accountIdentifier,
    bankName: sender?.bankName,
    bankIdentifier: sender?.bankIdentifier,
    paymentRail: PAYMENT_RAILS.find((rail) => rail === report.paymentRail),
    remittanceInformation,
    endToEndId,
    traceNumber,
  }
}

function toDestinationView(row: TransactionRow) {
  const currency = requireColumn(row, 'received_currency')
  const { uma, isByOwnKey } = row.details
  if (isByOwnKey)
    return {
      destinationType: 'CHAIN_ADDRESS' as const,
      address: requireColumn(row, 'destination_identifier'),
      currency,
    }
  if (uma !== undefined || row.destination_account_id === null)
    return {
      destinationType: 'UMA_ADDRESS' as const,
      umaAddress: uma ?? requireColumn(row, 'destination_identifier'),
      currency,
    }
  return { destinationType: 'ACCOUNT' as const, accountId: row.destination_account_id, currency }
}

/** Converts numbers to bigints: JSON columns return small integers as numbers. */
export function withBigints(details: StoredJson<RateSummary['rateDetails']>): RateSummary['rateDetails'] {
  return {
    ...details,
    ...parseOwnRates(details),
    counterpartyFixedFee: BigInt(details.counterpartyFixedFee),
  }
}

function getOwnRates(row: TransactionRow): OwnRateDetails | undefined {
  const { ownRates } = row.details
  return ownRates && parseOwnRates(ownRates)
}

function parseOwnRates(details: StoredJson<OwnRateDetails>): OwnRateDetails {
  return {
    ...details,
    svcApiFixedFee: BigInt(details.svcApiFixedFee),
  }
}

/** Adds the transaction hash of a payment delivered on a chain. */
export function withTransactionHash(
  { details }: TransactionRow,
  { transactionHash }: { readonly transactionHash?: string },
): Partial<TransactionRow> {
  return transactionHash === undefined ? {} : { details: { ...details, transactionHash } }
}

/** The amount sent. It is always known if money leaves an internal account. */
export function toSentAmount(row: TransactionRow): {
  readonly amount: bigint
  readonly currency: KnownCurrency
} {
  return { amount: requireColumn(row, 'sent_amount'), currency: requireColumn(row, 'sent_currency') }
}

/** The amount delivered. */
export function toReceivedAmount(row: TransactionRow): ReturnType<typeof toSentAmount> {
  return { amount: requireColumn(row, 'received_amount'), currency: requireColumn(row, 'received_currency') }
}

function toMoneySent(row: TransactionRow) {
  const { amount, currency } = toSentAmount(row)
  return toMoney(amount, currency)
}

function toMoneyReceived(row: TransactionRow) {
  const { amount, currency } = toReceivedAmount(row)
  return toMoney(amount, currency)
}

/** An amount with its currency as the API shows it. */
export function toMoney(amount: bigint, currency: KnownCurrency) {
  return { amount, currency: toCurrencyRecord(currency) }
}
