import { currencyRecord, type KnownCurrency } from '@countersign/contract/core/currencies'
import type { OutgoingTransactionState } from '@countersign/contract/core/states'
import type {
  INCOMING_FAILURE_REASONS,
  OUTGOING_FAILURE_REASONS,
  OutgoingTransaction,
} from '@countersign/contract/payments/transactions'
import type { Static } from 'typebox'
import type { TransactionRow } from '../db/schema/tables.ts'
import { maySee, type Op } from '../op/app.ts'
import { ApiError } from '../op/operation.ts'
import { present } from '../op/present.ts'
import type { OwnRateDetails } from '../pricing/pricing.ts'
import { selectTransaction, type TransactionWithCustomer } from './store.ts'

export type { TransactionWithCustomer } from './store.ts'

/** A row with the states of an outgoing transaction: payments of quotes, and transfers out. */
type OutgoingRow = TransactionRow & { readonly state: OutgoingTransactionState }

/** How the amounts of a transaction were computed (specification 2.7). */
export interface RateSummary {
  readonly exchangeRate: number
  readonly rateDetails: OwnRateDetails & {
    readonly counterpartyMultiplier: number
    readonly counterpartyFixedFee: bigint
  }
}

/** Error: 404 `TRANSACTION_NOT_FOUND`. */
export async function findTransaction(op: Op, id: string): Promise<TransactionWithCustomer> {
  const row = await selectTransaction(op, id)
  if (!row || !maySee(op, row.customer_id))
    throw new ApiError('TRANSACTION_NOT_FOUND', { details: { field: 'transactionId' } })
  return row
}

/** The reference that identifies a payment: short enough for any rail, and unique to one transaction of its platform. */
export function makeReference(op: Op): string {
  return `CS${Buffer.from(op.random(6)).toString('hex').toUpperCase()}`
}

type Given = Pick<
  TransactionRow,
  'kind' | 'type' | 'direction' | 'state' | 'customer_id' | 'sent_amount' | 'sent_currency'
> &
  Pick<TransactionRow, 'received_amount' | 'received_currency'> &
  Partial<TransactionRow>

/** A new transaction; columns not given are null. */
export function newTransaction(op: Op, given: Given): TransactionRow {
  return {
    id: given.id ?? op.newId('Transaction'),
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
    reference: given.reference ?? makeReference(op),
    failure_reason: null,
    refund: null,
    details: {},
    receipt_delivery_confirmed_at: null,
    agent_id: op.actor.kind === 'agent' ? op.actor.agentId : null,
    settled_at: null,
    created_at: op.now,
    updated_at: op.now,
    ...given,
  }
}

/** A transaction as the API shows it (specification 2.11). */
export function transactionView(
  row: TransactionRow,
  customer: Pick<TransactionWithCustomer, 'platform_customer_id'>,
) {
  const common = commonView(row, customer)
  return row.type === 'OUTGOING' ? outgoingView(row, common) : incomingView(row, common)
}

/** A transfer out in the answer that begins it, the only place where its type is INCOMING (specification 4.11). */
export function transferOutAnswer(row: TransactionWithCustomer) {
  return {
    ...incomingView(row, commonView(row, row)),
    ...present({
      sentAmount: money(row.sent_amount!, row.sent_currency!),
      rateDetails: ownRatesOf(row),
    }),
  }
}

function commonView(
  row: TransactionRow,
  { platform_customer_id }: Pick<TransactionWithCustomer, 'platform_customer_id'>,
) {
  return {
    id: row.id,
    direction: row.direction,
    destination: destinationView(row),
    customerId: row.customer_id ?? row.platform_id,
    platformCustomerId: platform_customer_id ?? row.platform_id,
    fees: row.fees,
    description: row.description,
    counterpartyInformation: (row.details as Details).counterparty,
    reconciliationInstructions:
      row.state === 'CREATED'
        ? undefined
        : present({ reference: row.reference, transactionHash: (row.details as Details).transactionHash }),
    agentId: row.agent_id,
    receiptDeliveryConfirmedAt: row.receipt_delivery_confirmed_at?.toISOString(),
    settledAt: row.settled_at?.toISOString(),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** The `details` of a transaction. */
export interface Details {
  readonly rates?: RateSummary
  /** For a transfer out, which has no counterparty. */
  readonly ownRates?: OwnRateDetails
  /** The chain that pays the external account, by its account type, and the hash of the payment there. */
  readonly chain?: string
  readonly transactionHash?: string
  readonly counterparty?: Readonly<Record<string, unknown>>
  /** Where a payment with real-time funding is to be paid. */
  readonly paymentInstructions?: NonNullable<Static<typeof OutgoingTransaction>['paymentInstructions']>
}

function outgoingView<Common extends object>(row: TransactionRow, common: Common) {
  const { rates, paymentInstructions } = row.details as Details
  return present({
    type: 'OUTGOING' as const,
    status: (row as OutgoingRow).state,
    ...common,
    source: sourceView(row)!,
    sentAmount: money(row.sent_amount!, row.sent_currency!),
    receivedAmount: money(row.received_amount!, row.received_currency!),
    exchangeRate: rates?.exchangeRate,
    rateDetails: rates ? withBigints(rates.rateDetails) : ownRatesOf(row),
    quoteId: row.quote_id,
    paymentInstructions,
    refund: row.refund,
    failureReason: row.failure_reason as (typeof OUTGOING_FAILURE_REASONS)[number] | null,
  })
}

function incomingView<Common extends object>(row: TransactionRow, common: Common) {
  return present({
    type: 'INCOMING' as const,
    status: row.state,
    ...common,
    source: sourceView(row),
    receivedAmount: money(row.received_amount!, row.received_currency!),
    failureReason: row.failure_reason as (typeof INCOMING_FAILURE_REASONS)[number] | null,
  })
}

/** The source of the money; nothing where a payment from outside does not name one. */
function sourceView(row: TransactionRow) {
  const currency = row.sent_currency ?? row.received_currency!
  if (row.source_account_id !== null)
    return { sourceType: 'ACCOUNT' as const, accountId: row.source_account_id, currency }
  if (row.source_identifier !== null)
    return { sourceType: 'UMA_ADDRESS' as const, umaAddress: row.source_identifier, currency }
  return present({ sourceType: 'REALTIME_FUNDING' as const, currency, customerId: row.customer_id })
}

function destinationView(row: TransactionRow) {
  const currency = row.received_currency!
  const uma = (row.details as { uma?: string }).uma
  if (uma !== undefined || row.destination_account_id === null)
    return {
      destinationType: 'UMA_ADDRESS' as const,
      umaAddress: uma ?? row.destination_identifier!,
      currency,
    }
  return { destinationType: 'ACCOUNT' as const, accountId: row.destination_account_id, currency }
}

/** JSON columns return small integers as numbers. */
export function withBigints(details: RateSummary['rateDetails']): RateSummary['rateDetails'] {
  return {
    ...details,
    ...withOwnBigints(details),
    counterpartyFixedFee: BigInt(details.counterpartyFixedFee),
  }
}

function ownRatesOf(row: TransactionRow): OwnRateDetails | undefined {
  const { ownRates } = row.details as Details
  return ownRates && withOwnBigints(ownRates)
}

function withOwnBigints(details: OwnRateDetails): OwnRateDetails {
  return {
    ...details,
    svcApiFixedFee: BigInt(details.svcApiFixedFee),
    svcApiVariableFeeAmount: BigInt(details.svcApiVariableFeeAmount),
  }
}

/** The details of a payment that was delivered on a chain: its hash there. */
export function hashed(
  { details }: TransactionRow,
  { transactionHash }: { readonly transactionHash?: string },
): Partial<TransactionRow> {
  return transactionHash === undefined ? {} : { details: { ...details, transactionHash } }
}

/** An amount with its currency as the API shows it. */
export function money(amount: bigint, currency: string) {
  return { amount, currency: currencyRecord(currency as KnownCurrency) }
}
