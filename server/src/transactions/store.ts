import { canonicalUmaAddress } from '@countersign/contract/core/formats'
import { rowByKey } from '../db/read/lookup.ts'
import type { TransactionRow } from '../db/schema/tables.ts'
import type { Op } from '../op/app.ts'

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
   WHERE t.id = ANY ($1::text[])`,
  'id',
)

export async function selectTransaction(op: Op, id: string): Promise<TransactionWithCustomer | undefined> {
  return op.find(BY_ID, id)
}

/** An account's id or an UMA address, as transactions keep it. */
function asKept(identifier: string | undefined): string | undefined {
  return identifier && (canonicalUmaAddress(identifier) ?? identifier)
}

/** A page of the matching transactions. */
export function selectTransactions(op: Op, filters: TransactionFilters) {
  const accountIdentifier = asKept(filters.accountIdentifier)
  const sender = asKept(filters.senderAccountIdentifier)
  const receiver = asKept(filters.receiverAccountIdentifier)
  return transactions(op)
    .$if(filters.customerId !== undefined, (q) =>
      q.where('transactions.customer_id', '=', filters.customerId!),
    )
    .$if(filters.platformCustomerId !== undefined, (q) =>
      q.where('customers.platform_customer_id', '=', filters.platformCustomerId!),
    )
    .$if(accountIdentifier !== undefined, (q) =>
      q.where((eb) =>
        eb.or(
          (
            [
              'source_account_id',
              'source_identifier',
              'destination_account_id',
              'destination_identifier',
            ] as const
          ).map((column) => eb(column, '=', accountIdentifier!)),
        ),
      ),
    )
    .$if(sender !== undefined, (q) =>
      q.where((eb) => eb.or([eb('source_account_id', '=', sender!), eb('source_identifier', '=', sender!)])),
    )
    .$if(receiver !== undefined, (q) =>
      q.where((eb) =>
        eb.or([eb('destination_account_id', '=', receiver!), eb('destination_identifier', '=', receiver!)]),
      ),
    )
    .$if(filters.status !== undefined, (q) => q.where('transactions.state', '=', filters.status!))
    .$if(filters.type !== undefined, (q) => q.where('transactions.type', '=', filters.type!))
    .$if(filters.reference !== undefined, (q) => q.where('transactions.reference', '=', filters.reference!))
    .$if(filters.startDate !== undefined, (q) =>
      q.where('transactions.created_at', '>=', new Date(filters.startDate!)),
    )
    .$if(filters.endDate !== undefined, (q) =>
      q.where('transactions.created_at', '<=', new Date(filters.endDate!)),
    )
}
