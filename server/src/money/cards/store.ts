import { sql } from 'kysely'
import { requireValue } from '../../base/formats/require-value.ts'
import { getOwnCustomerId, type Op } from '../../kernel/operation/app.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import { BARE_PLATFORM_BY_ID } from '../../storage/read/bare-platform.ts'
import { type Lookup, lookupByColumns, lookupById, lookupByKey } from '../../storage/read/lookup.ts'
import { whenGiven, whereIfDefined } from '../../storage/read/where-given.ts'
import type { CardRow, CardTransactionRow, DelegatedKeyRow } from '../../storage/rows/card.ts'
import type { BarePlatformRow } from '../../storage/rows/tables.ts'

const CARD_BY_ID = lookupById('cards')

export async function selectCard(op: Op, id: string): Promise<CardRow | undefined> {
  return op.find(CARD_BY_ID, id)
}

const CARD_BY_PLATFORM_CARD_ID = lookupByColumns<CardRow>('cards', ['platform_id', 'platform_card_id'])

export async function selectCardByPlatformCardId(op: Op, id: string): Promise<CardRow | undefined> {
  return op.find(CARD_BY_PLATFORM_CARD_ID, op.platform.id, id)
}

const CARD_BY_PROCESSOR_REF = lookupByKey<CardRow>(
  `SELECT c.* FROM cards c JOIN platforms p ON p.id = c.platform_id
   WHERE c.processor_ref = ANY ($1::text[]) AND p.closed_at IS NULL`,
  'processor_ref',
)

/** Finds a card on any platform by the processor's reference. */
export async function selectCardOfProcessor(
  lookup: Lookup,
  processorRef: string,
): Promise<CardRow | undefined> {
  return lookup(CARD_BY_PROCESSOR_REF, processorRef)
}

export async function selectPlatformOfCard(lookup: Lookup, card: CardRow): Promise<BarePlatformRow> {
  return requireValue(await lookup(BARE_PLATFORM_BY_ID, card.platform_id), 'platform of the card')
}

export interface CardFilters {
  readonly cardholderId?: string
  readonly accountId?: string
  readonly platformCardId?: string
  readonly state?: CardRow['state']
  readonly currency?: string
}

/** A page of the matching cards. */
export function selectCards(
  op: Op,
  { cardholderId, accountId, platformCardId, state, currency }: CardFilters,
) {
  return op.read
    .selectFrom('cards')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'cardholder_id', '=', getOwnCustomerId(op)))
    .$call((q) => whereIfDefined(q, 'cardholder_id', '=', cardholderId))
    .$call((q) =>
      whenGiven(q, accountId, (query, id) =>
        query.where(sql<boolean>`funding_sources @> ARRAY[${extractUuid(id)}]::uuid[]`),
      ),
    )
    .$call((q) => whereIfDefined(q, 'platform_card_id', '=', platformCardId))
    .$call((q) => whereIfDefined(q, 'state', '=', state))
    .$call((q) => whenGiven(q, currency, (query, code) => query.where(sql<boolean>`currency = ${code}`)))
}

const TRANSACTION_BY_ID = lookupById('card_transactions')
const TRANSACTION_BY_TOKEN = lookupByColumns<CardTransactionRow>('card_transactions', [
  'platform_id',
  'issuer_transaction_token',
])

export async function selectCardTransaction(op: Op, id: string): Promise<CardTransactionRow | undefined> {
  return op.find(TRANSACTION_BY_ID, id)
}

export async function selectCardTransactionByToken(
  op: Op,
  token: string,
): Promise<CardTransactionRow | undefined> {
  return op.find(TRANSACTION_BY_TOKEN, op.platform.id, token)
}

/** A page of a card's purchases. */
export function selectCardTransactions(
  op: Op,
  cardId: string,
  status: CardTransactionRow['state'] | undefined,
) {
  return op.read
    .selectFrom('card_transactions')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('card_id', '=', cardId)
    .$call((q) => whereIfDefined(q, 'state', '=', status))
}

const KEY_BY_ID = lookupById('delegated_keys')
const ACTIVE_KEY = lookupByColumns<DelegatedKeyRow>(
  'delegated_keys',
  ['card_id', 'account_id'],
  `status = 'ACTIVE'`,
)

export async function selectDelegatedKey(op: Op, id: string): Promise<DelegatedKeyRow | undefined> {
  return op.find(KEY_BY_ID, id)
}

/** The active key that signs this wallet's payments with a card. */
export async function selectActiveKey(
  op: Op,
  cardId: string,
  accountId: string,
): Promise<DelegatedKeyRow | undefined> {
  return op.find(ACTIVE_KEY, cardId, accountId)
}

export async function selectActiveCardKeys(op: Op, cardId: string): Promise<DelegatedKeyRow[]> {
  return op.read
    .selectFrom('delegated_keys')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('card_id', '=', cardId)
    .where('status', '=', 'ACTIVE')
    .execute()
}

export interface DelegatedKeyFilters {
  readonly accountId?: string
  readonly fundingSourceId?: string
}

/** The maximum number of keys in a list. Customers have few cards, so lists are not paginated. */
const KEYS_SHOWN_MAX = 1000

export async function selectDelegatedKeys(
  op: Op,
  { accountId, fundingSourceId }: DelegatedKeyFilters,
): Promise<DelegatedKeyRow[]> {
  const customer = getOwnCustomerId(op)
  return op.read
    .selectFrom('delegated_keys')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'account_id', '=', accountId))
    .$call((q) => whereIfDefined(q, 'account_id', '=', fundingSourceId))
    .$call((q) =>
      whenGiven(q, customer, (query, customerId) =>
        query.where('account_id', 'in', (accounts) =>
          accounts.selectFrom('internal_accounts').select('id').where('customer_id', '=', customerId),
        ),
      ),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(KEYS_SHOWN_MAX)
    .execute()
}
