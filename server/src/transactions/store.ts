import { canonicalUmaAddress } from '@countersign/contract/core/formats'
import { rowByKey } from '../db/read/lookup.ts'
import { whereAnyGiven, whereGiven } from '../db/read/where-given.ts'
import type { TransactionRow } from '../db/schema/tables.ts'
import type { Op } from '../op/app.ts'
import { timeIfGiven } from '../op/time-range.ts'

export interface TransactionFilters {
  readonly customerId?: string
  readonly platformCustomerId?: string
  readonly accountIdentifier?: string
  readonly senderAccountIdentifier?: string
  readonly receiverAccountIdentifier?: string
  readonly status?: TransactionRow['state']
  readonly type?: TransactionRow['type']
  readonly reference?: string
  readonly startDate?: string
  readonly endDate?: string
}

/** A transaction with its customer's id at the platform; null where the platform moves its own money. */
export type TransactionWithCustomer = TransactionRow & { readonly platform_customer_id: string | null }

function transactions(op: Op) {
  return op.read
    .selectFrom('transactions')
    .leftJoin('customers', 'customers.id', 'transactions.customer_id')
    .where('transactions.platform_id', '=', op.platform.id)
    .selectAll('transactions')
    .select('customers.platform_customer_id')
}

const BY_ID = rowByKey<TransactionWithCustomer>(
  `SELECT t.*, c.platform_customer_id FROM transactions t LEFT JOIN customers c ON c.id = t.customer_id
   WHERE t.id = ANY ($1::uuid[])`,
  'id',
)

export async function selectTransaction(op: Op, id: string): Promise<TransactionWithCustomer | undefined> {
  return op.find(BY_ID, id)
}

/** An account's id or an UMA address, as transactions store it. */
function asKept(identifier: string | undefined): string | undefined {
  return identifier && (canonicalUmaAddress(identifier) ?? identifier)
}

/** The columns that name the sender and the receiver. */
const SENDER = ['source_account_id', 'source_identifier'] as const
const RECEIVER = ['destination_account_id', 'destination_identifier'] as const

/** A page of the matching transactions. */
export function selectTransactions(op: Op, filters: TransactionFilters) {
  const accountIdentifier = asKept(filters.accountIdentifier)
  const sender = asKept(filters.senderAccountIdentifier)
  const receiver = asKept(filters.receiverAccountIdentifier)
  return transactions(op)
    .$call((q) => whereGiven(q, 'transactions.customer_id', '=', filters.customerId))
    .$call((q) => whereGiven(q, 'customers.platform_customer_id', '=', filters.platformCustomerId))
    .$call((q) => whereAnyGiven(q, [...SENDER, ...RECEIVER], accountIdentifier))
    .$call((q) => whereAnyGiven(q, SENDER, sender))
    .$call((q) => whereAnyGiven(q, RECEIVER, receiver))
    .$call((q) => whereGiven(q, 'transactions.state', '=', filters.status))
    .$call((q) => whereGiven(q, 'transactions.type', '=', filters.type))
    .$call((q) => whereGiven(q, 'transactions.reference', '=', filters.reference))
    .$call((q) => whereGiven(q, 'transactions.created_at', '>=', timeIfGiven(filters.startDate)))
    .$call((q) => whereGiven(q, 'transactions.created_at', '<=', timeIfGiven(filters.endDate)))
}
