import type { Op } from '../../kernel/operation/app.ts'
import { hasWords } from '../../storage/read/has-words.ts'
import { type RowByKey, rowById } from '../../storage/read/lookup.ts'
import type { AgentRow } from '../../storage/rows/agent.ts'
import type { CardRow } from '../../storage/rows/card.ts'
import type { StoredEventRow } from '../../storage/rows/event.ts'
import type {
  CustomerRow,
  ExternalAccountRow,
  InternalAccountRow,
  QuoteRow,
  TransactionRow,
} from '../../storage/rows/tables.ts'

/** The records that an id finds, by the kind of the id. */
export const BY_ID = {
  Customer: rowById('customers'),
  Transaction: rowById('transactions'),
  Quote: rowById('quotes'),
  Card: rowById('cards'),
  Agent: rowById('agents'),
  ExternalAccount: rowById('external_accounts'),
  InternalAccount: rowById('internal_accounts'),
  Event: rowById('events'),
} as const

export interface FoundRows {
  readonly Customer: CustomerRow
  readonly Transaction: TransactionRow
  readonly Quote: QuoteRow
  readonly Card: CardRow
  readonly Agent: AgentRow
  readonly ExternalAccount: ExternalAccountRow
  readonly InternalAccount: InternalAccountRow
  readonly Event: StoredEventRow
}

export type FoundKind = keyof FoundRows

/** The record of an id, of this platform. */
export async function selectById<Kind extends FoundKind>(
  op: Op,
  kind: Kind,
  id: string,
): Promise<FoundRows[Kind] | undefined> {
  return op.find(BY_ID[kind] as unknown as RowByKey<FoundRows[Kind]>, id)
}

/** Customers, newest first, without those that were deleted. */
export async function selectCustomersByWords(op: Op, asked: string, limit: number): Promise<CustomerRow[]> {
  return op.read
    .selectFrom('customers')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where(hasWords('customers', op.platform.id, asked))
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
}

export async function selectAgentsByWords(op: Op, asked: string, limit: number): Promise<AgentRow[]> {
  return op.read
    .selectFrom('agents')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where(hasWords('agents', op.platform.id, asked))
    .limit(limit)
    .execute()
}

export async function selectCardsByLast4(op: Op, last4: string, limit: number): Promise<CardRow[]> {
  return op.read
    .selectFrom('cards')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('last4', '=', last4)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
}

/** By the number of the account as it is written, with or without spaces, or by the platform's own id of it. */
export async function selectAccountsByNumber(
  op: Op,
  asked: string,
  limit: number,
): Promise<ExternalAccountRow[]> {
  const numbers = [...new Set([asked, asked.replaceAll(' ', ''), asked.replaceAll(' ', '').toUpperCase()])]
  return op.read
    .selectFrom('external_accounts')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('deleted_at', 'is', null)
    .where((eb) => eb.or([eb('identifier', 'in', numbers), eb('platform_account_id', '=', asked)]))
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
}

export async function selectTransactionByReference(
  op: Op,
  reference: string,
): Promise<TransactionRow | undefined> {
  return op.read
    .selectFrom('transactions')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('reference', 'in', [...new Set([reference, reference.toUpperCase()])])
    .limit(1)
    .executeTakeFirst()
}
