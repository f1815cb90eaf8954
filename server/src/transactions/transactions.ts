import { currencyRecord, type KnownCurrency } from '@countersign/contract/currencies'
import type { OUTGOING_TRANSACTION_TRANSITIONS } from '@countersign/contract/states'
import type { OUTGOING_FAILURE_REASONS } from '@countersign/contract/transactions'
import type { Op } from '../app.ts'
import type { CustomerRow, TransactionRow } from '../db/tables.ts'
import { ApiError } from '../operation.ts'
import { selectTransaction, type TransactionWithCustomer } from './store.ts'

export type { TransactionWithCustomer } from './store.ts'

/** An outgoing transaction: its states are those of the outgoing table. */
export type OutgoingRow = TransactionRow & { readonly state: keyof typeof OUTGOING_TRANSACTION_TRANSITIONS }

/** What a transaction shows of how its amounts came about (specification 2.7). */
export interface RateSummary {
  readonly exchangeRate: number
  readonly rateDetails: {
    readonly counterpartyMultiplier: number
    readonly counterpartyFixedFee: bigint
    readonly svcApiMultiplier: number
    readonly svcApiFixedFee: bigint
    readonly svcApiVariableFeeRate: number
    readonly svcApiVariableFeeAmount: number
  }
}

/** Error: 404 `TRANSACTION_NOT_FOUND`. */
export async function findTransaction(op: Op, id: string): Promise<TransactionWithCustomer> {
  const row = await selectTransaction(op, id)
  if (!row) throw new ApiError('TRANSACTION_NOT_FOUND', { details: { field: 'transactionId' } })
  return row
}

/** What a payer writes to be recognised by: short enough for any rail. */
export function makeReference(op: Op): string {
  return `CS${Buffer.from(op.random(6)).toString('hex').toUpperCase()}`
}

/** A transaction as the API shows it (specification 2.11). So far all of them are outgoing. */
export function transactionView(row: TransactionRow, customer: Pick<CustomerRow, 'platform_customer_id'>) {
  const { rates } = row.details as { rates?: RateSummary }
  return {
    id: row.id,
    type: 'OUTGOING' as const,
    status: (row as OutgoingRow).state,
    direction: row.direction,
    source: accountSide('sourceType', row.source_account_id!, row.sent_currency!),
    destination: accountSide('destinationType', row.destination_account_id!, row.received_currency!),
    customerId: row.customer_id,
    platformCustomerId: customer.platform_customer_id,
    sentAmount: money(row.sent_amount!, row.sent_currency!),
    receivedAmount: money(row.received_amount!, row.received_currency!),
    ...(row.fees === null ? {} : { fees: row.fees }),
    ...(rates ? { exchangeRate: rates.exchangeRate, rateDetails: withBigints(rates.rateDetails) } : {}),
    ...(row.quote_id ? { quoteId: row.quote_id } : {}),
    ...(row.description ? { description: row.description } : {}),
    reconciliationInstructions: { reference: row.reference },
    ...(row.failure_reason
      ? { failureReason: row.failure_reason as (typeof OUTGOING_FAILURE_REASONS)[number] }
      : {}),
    ...(row.settled_at ? { settledAt: row.settled_at.toISOString() } : {}),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** JSON columns give small integers as numbers. */
export function withBigints(details: RateSummary['rateDetails']): RateSummary['rateDetails'] {
  return {
    ...details,
    counterpartyFixedFee: BigInt(details.counterpartyFixedFee),
    svcApiFixedFee: BigInt(details.svcApiFixedFee),
  }
}

/** An amount with its currency as the API shows it. */
export function money(amount: bigint, currency: string) {
  return { amount, currency: currencyRecord(currency as KnownCurrency) }
}

function accountSide<Name extends 'sourceType' | 'destinationType'>(
  name: Name,
  accountId: string,
  currency: string,
) {
  return { [name]: 'ACCOUNT', accountId, currency } as { [N in Name]: 'ACCOUNT' } & {
    accountId: string
    currency: string
  }
}
