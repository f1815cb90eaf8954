import type { KnownCurrency } from '@countersign/contract/core/currencies'
import { sql } from 'kysely'
import type { Op } from '../../kernel/operation/app.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import { hasWords } from '../../storage/read/has-words.ts'
import { lookupById, type RowByKey } from '../../storage/read/lookup.ts'
import type { AgentRow } from '../../storage/rows/agent.ts'
import type { CardRow } from '../../storage/rows/card.ts'
import type { StoredEventRow } from '../../storage/rows/event.ts'
import type { MandateRow } from '../../storage/rows/mandate.ts'
import type {
  CustomerRow,
  ExternalAccountRow,
  InternalAccountRow,
  QuoteRow,
  TransactionRow,
} from '../../storage/rows/tables.ts'

/** Lookup by id for each kind of record. */
export const BY_ID = {
  Customer: lookupById('customers'),
  Transaction: lookupById('transactions'),
  Quote: lookupById('quotes'),
  Card: lookupById('cards'),
  Agent: lookupById('agents'),
  ExternalAccount: lookupById('external_accounts'),
  Mandate: lookupById('mandates'),
  InternalAccount: lookupById('internal_accounts'),
  Event: lookupById('events'),
} as const

export interface FoundRows {
  readonly Customer: CustomerRow
  readonly Transaction: TransactionRow
  readonly Quote: QuoteRow
  readonly Card: CardRow
  readonly Agent: AgentRow
  readonly ExternalAccount: ExternalAccountRow
  readonly Mandate: MandateRow
  readonly InternalAccount: InternalAccountRow
  readonly Event: StoredEventRow
}

export type FoundKind = keyof FoundRows

/** Finds one of this platform's records by id. */
export async function selectById<Kind extends FoundKind>(
  op: Op,
  kind: Kind,
  id: string,
): Promise<FoundRows[Kind] | undefined> {
  return op.find(BY_ID[kind] as unknown as RowByKey<FoundRows[Kind]>, id)
}

/** Customers that match and are not deleted, newest first. */
export async function selectCustomersByWords(
  op: Op,
  searchText: string,
  limit: number,
): Promise<CustomerRow[]> {
  return op.read
    .selectFrom('customers')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where(hasWords('customers', op.platform.id, searchText))
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
}

export async function selectAgentsByWords(op: Op, searchText: string, limit: number): Promise<AgentRow[]> {
  return op.read
    .selectFrom('agents')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where(hasWords('agents', op.platform.id, searchText))
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

/**
 * Matches the full account number (with or without spaces), its last four characters, or the platform's own
 * account id.
 */
export async function selectAccountsByNumber(
  op: Op,
  searchText: string,
  limit: number,
): Promise<ExternalAccountRow[]> {
  const numbers = [
    ...new Set([searchText, searchText.replaceAll(' ', ''), searchText.replaceAll(' ', '').toUpperCase()]),
  ]
  return op.read
    .selectFrom('external_accounts')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('deleted_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('identifier', 'in', numbers),
        eb('platform_account_id', '=', searchText),
        eb(sql`right(identifier, 4)`, 'in', numbers),
      ]),
    )
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
}

/**
 * Matches a reference prefix. References contain only capital letters and digits, so the range comparison
 * works in every collation.
 */
export async function selectTransactionsByReference(
  op: Op,
  searchText: string,
  limit: number,
): Promise<TransactionRow[]> {
  const prefix = searchText.toUpperCase()
  return op.read
    .selectFrom('transactions')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where((eb) =>
      eb.or([
        eb('reference', '=', searchText),
        eb.and([eb('reference', '>=', prefix), eb('reference', '<=', `${prefix}ZZZZZZZZZZZZZZZZ`)]),
      ]),
    )
    .orderBy('reference')
    .limit(limit)
    .execute()
}

/** Matches the full reference, case-insensitively; returns at most one row. */
export async function selectMandatesByReference(op: Op, searchText: string): Promise<MandateRow[]> {
  return op.read
    .selectFrom('mandates')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where(sql<string>`upper(reference)`, '=', searchText.toUpperCase())
    .execute()
}

/** One interpretation of a searched amount: its value in the smallest unit of these currencies. */
export interface SearchedAmount {
  readonly currencies: readonly KnownCurrency[]
  readonly units: bigint
}

/**
 * Searches only the newest `scanLimit` payments, because an index on amounts would slow down every payment.
 * Newest first.
 */
export async function selectTransactionsByAmount(
  op: Op,
  amounts: readonly SearchedAmount[],
  { scanLimit, limit }: { readonly scanLimit: number; readonly limit: number },
): Promise<TransactionRow[]> {
  const newest = op.read
    .selectFrom('transactions')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(scanLimit)
  return op.read
    .selectFrom(newest.as('transactions'))
    .selectAll()
    .where((eb) =>
      eb.or(
        amounts.flatMap(({ currencies, units }) => [
          eb.and([eb('sent_amount', '=', units), eb('sent_currency', 'in', [...currencies])]),
          eb.and([eb('received_amount', '=', units), eb('received_currency', 'in', [...currencies])]),
        ]),
      ),
    )
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
}

/** A card and the merchant that matched the search. */
export type CardOfMerchant = CardRow & { readonly purchased_at_merchant: string }

/** Limits of a merchant search: newest cards, and newest purchases per card. */
const MERCHANT_CARDS_MAX = 200
const MERCHANT_PURCHASES_MAX = 20

/**
 * Cards used at a merchant whose name contains the search text. Only the newest cards and purchases are
 * searched, because an index on merchants would slow down every purchase.
 */
export async function selectCardsByMerchant(
  op: Op,
  searchText: string,
  limit: number,
): Promise<CardOfMerchant[]> {
  const { rows } = await op.db.query<CardOfMerchant>(
    `SELECT c.*, p.merchant->>'descriptor' AS purchased_at_merchant
     FROM (SELECT * FROM cards WHERE platform_id = $1
       ORDER BY created_at DESC, id DESC LIMIT ${MERCHANT_CARDS_MAX}) AS c
     CROSS JOIN LATERAL (SELECT merchant FROM (SELECT merchant FROM card_transactions t WHERE t.card_id = c.id
         ORDER BY t.created_at DESC, t.id DESC LIMIT ${MERCHANT_PURCHASES_MAX}) AS newest
       WHERE position(lower($2) in lower(merchant->>'descriptor')) > 0 LIMIT 1) AS p
     ORDER BY c.created_at DESC LIMIT $3`,
    [extractUuid(op.platform.id), searchText, limit],
  )
  return rows
}
