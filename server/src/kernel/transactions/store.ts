import { toCanonicalUmaAddress } from '@countersign/contract/core/formats'
import { type ExpressionBuilder, sql } from 'kysely'
import { toIdOfKind } from '../../storage/engine/ids.ts'
import { lookupByIdInTable, lookupByKey } from '../../storage/read/lookup.ts'
import { whereAnyGiven, whereIfDefined } from '../../storage/read/where-given.ts'
import type { AgentActionRow } from '../../storage/rows/agent.ts'
import type { Tables, TransactionRow } from '../../storage/rows/tables.ts'
import { getOwnCustomerId, type Op } from '../operation/app.ts'
import { parseOptionalTime } from '../operation/time-range.ts'

export interface TransactionFilters {
  readonly customerId?: string
  readonly platformCustomerId?: string
  readonly accountIdentifier?: string
  readonly senderAccountIdentifier?: string
  readonly receiverAccountIdentifier?: string
  readonly status?: TransactionRow['state']
  readonly type?: TransactionRow['type']
  readonly reference?: string
  readonly failureReason?: NonNullable<TransactionRow['failure_reason']>
  readonly currency?: string
  readonly amountMin?: bigint
  readonly amountMax?: bigint
  readonly startDate?: string
  readonly endDate?: string
}

/** A transaction with the platform's id of its customer; null if the platform moves its own money. */
export type TransactionWithCustomer = TransactionRow & { readonly platform_customer_id: string | null }

function queryTransactions(op: Op) {
  return op.read
    .selectFrom('transactions')
    .leftJoin('customers', 'customers.id', 'transactions.customer_id')
    .where('transactions.platform_id', '=', op.platform.id)
    .selectAll('transactions')
    .select('customers.platform_customer_id')
}

const BY_ID = lookupByIdInTable<TransactionWithCustomer>(
  'transactions',
  `SELECT t.*, c.platform_customer_id FROM transactions t LEFT JOIN customers c ON c.id = t.customer_id
   WHERE t.id = ANY ($1::uuid[])`,
  (row): row is TransactionWithCustomer => 'platform_customer_id' in row,
)

export async function selectTransaction(op: Op, id: string): Promise<TransactionWithCustomer | undefined> {
  return op.find(BY_ID, id)
}

const ACTION_BY_TRANSACTION = lookupByKey<AgentActionRow>(
  'SELECT * FROM agent_actions WHERE transaction_id = ANY ($1::uuid[])',
  'transaction_id',
)

export async function selectActionOfTransaction(
  op: Op,
  transactionId: string,
): Promise<AgentActionRow | undefined> {
  return op.find(ACTION_BY_TRANSACTION, transactionId)
}

/** An account id or UMA address in the form in which transactions store it. */
function toStoredIdentifier(identifier: string | undefined): string | undefined {
  return identifier && (toCanonicalUmaAddress(identifier) ?? identifier)
}

/** An id that no customer has. It takes the place of the customer in payments of the platform's own money. */
export function toPlatformCustomerId(platformId: string): string {
  return toIdOfKind('Customer', platformId)
}

/** The columns that identify the sender and the receiver. */
const SENDER = ['source_account_id', 'source_identifier'] as const
const RECEIVER = ['destination_account_id', 'destination_identifier'] as const

/**
 * Queries for the matching transactions: several if filtered by an account, so that each can use an index,
 * and one otherwise. Filtering only by UMA address, status or type scans the platform's transactions until a
 * page is full.
 */
export async function selectTransactions(op: Op, filters: TransactionFilters) {
  const either = toStoredIdentifier(filters.accountIdentifier)
  const sender = toStoredIdentifier(filters.senderAccountIdentifier)
  const receiver = toStoredIdentifier(filters.receiverAccountIdentifier)
  const matching = queryTransactions(op)
    .$call((q) => whereIfDefined(q, 'transactions.customer_id', '=', getOwnCustomerId(op)))
    .$call((q) =>
      filters.customerId === toPlatformCustomerId(op.platform.id)
        ? q.where('transactions.customer_id', 'is', null)
        : whereIfDefined(q, 'transactions.customer_id', '=', filters.customerId),
    )
    .$call((q) => whereIfDefined(q, 'customers.platform_customer_id', '=', filters.platformCustomerId))
    .$call((q) => whereAnyGiven(q, [...SENDER, ...RECEIVER], either))
    .$call((q) => whereAnyGiven(q, SENDER, sender))
    .$call((q) => whereAnyGiven(q, RECEIVER, receiver))
    .$call((q) => whereIfDefined(q, 'transactions.state', '=', filters.status))
    .$call((q) => whereIfDefined(q, 'transactions.type', '=', filters.type))
    .$call((q) => whereIfDefined(q, 'transactions.reference', '=', filters.reference))
    .$call((q) => whereIfDefined(q, 'transactions.failure_reason', '=', filters.failureReason))
    .where(buildAmountCondition(filters))
    .$call((q) => whereIfDefined(q, 'transactions.created_at', '>=', parseOptionalTime(filters.startDate)))
    .$call((q) => whereIfDefined(q, 'transactions.created_at', '<=', parseOptionalTime(filters.endDate)))
  const account = [sender, receiver, either].find(
    (identifier) => identifier !== undefined && ACCOUNT_ID.test(identifier),
  )
  if (account === undefined) return [matching]
  const owner = await selectOwner(op, account)
  if (owner === undefined) return []
  const { customer_id } = owner
  const payments = matching.where('transactions.kind', 'in', PAYMENTS)
  return [
    // A transfer is between two accounts of the same customer, except for deposits that verify an account.
    matching
      .where('transactions.kind', 'in', TRANSFERS)
      .where('transactions.customer_id', customer_id === null ? 'is' : '=', customer_id),
    payments.where('transactions.source_account_id', '=', account),
    payments
      .where('transactions.destination_account_id', '=', account)
      .where('transactions.source_account_id', 'is distinct from', account),
    ...(account.startsWith('ExternalAccount:') ? [matching.where(isDepositTo(account))] : []),
  ]
}

/** True of the platform's deposits that verify this account of a customer. */
function isDepositTo(account: string) {
  return ({ eb, selectFrom }: ExpressionBuilder<Tables, 'transactions'>) => {
    const verifications = selectFrom('account_verifications').where('external_account_id', '=', account)
    return eb(
      'transactions.id',
      'in',
      verifications
        .select('first_transaction_id as id')
        .unionAll(verifications.select('second_transaction_id as id')),
    )
  }
}

/** Selects payments that send or receive an amount within the bounds, in the given currency. */
function buildAmountCondition({ currency, amountMin, amountMax }: TransactionFilters) {
  if (currency === undefined) return sql<boolean>`true`
  const [min, max] = [String(amountMin ?? 0n), String(amountMax ?? AMOUNT_MAX)]
  const isAmountWithin = (side: 'sent' | 'received') =>
    sql<boolean>`(${sql.ref(`transactions.${side}_currency`)} = ${currency}
      AND coalesce(${sql.ref(`transactions.${side}_amount`)}, 0) BETWEEN ${min}::bigint AND ${max}::bigint)`
  return sql<boolean>`(${isAmountWithin('sent')} OR ${isAmountWithin('received')})`
}

/** The largest amount that a column can store. */
const AMOUNT_MAX = 2n ** 63n - 1n

const ACCOUNT_ID = /^(?:Internal|External)Account:/

/** The kinds in two groups. The indexes on payments by account have exactly this condition. */
const PAYMENTS = sql<TransactionRow['kind']>`('QUOTE', 'RECEIPT')`
const TRANSFERS = sql<TransactionRow['kind']>`('TRANSFER_IN', 'TRANSFER_OUT')`

/** Finds the owner of an account, deleted or not. */
function selectOwner(op: Op, id: string) {
  const table = id.startsWith('InternalAccount:') ? 'internal_accounts' : 'external_accounts'
  return op.read
    .selectFrom(table)
    .select('customer_id')
    .where('id', '=', id)
    .where('platform_id', '=', op.platform.id)
    .executeTakeFirst()
}
