import { sql } from 'kysely'
import type { Hex } from '../../../base/formats/hex.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import { lookupById } from '../../../storage/read/lookup.ts'
import type { ChainAddressRow, ChainPaymentRow, ChainTransactionRow } from '../../../storage/rows/chain.ts'

const PAYMENT_BY_ID = lookupById('chain_payments')

export async function selectPayment(op: Op, id: string): Promise<ChainPaymentRow | undefined> {
  return op.find(PAYMENT_BY_ID, id)
}

const ADDRESS_BY_ID = lookupById('chain_addresses')

export async function selectAddress(op: Op, id: string): Promise<ChainAddressRow | undefined> {
  return op.find(ADDRESS_BY_ID, id)
}

/** Due payments, the longest waiting first. */
export function selectDue(op: Op, rail: string, limit: number): Promise<ChainPaymentRow[]> {
  return op.read
    .selectFrom('chain_payments')
    .where('rail', '=', rail)
    .where('platform_id', '=', op.platform.id)
    .where('state', '=', 'WAITING')
    .where('due_at', '<=', op.now)
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit)
    .selectAll()
    .execute()
}

/** The accounts that send transactions. The order breaks ties between equally busy accounts. */
export function selectSenders(op: Op, rail: string): Promise<ChainAddressRow[]> {
  return op.read
    .selectFrom('chain_addresses')
    .where('rail', '=', rail)
    .where('platform_id', '=', op.platform.id)
    .where('role', 'in', ['TREASURY', 'GAS'])
    .orderBy('id')
    .selectAll()
    .execute()
}

/** The highest nonce assigned to a sender. */
export async function selectLastNonce(op: Op, rail: string, sender: Hex): Promise<bigint | undefined> {
  const found = await op.read
    .selectFrom('chain_transactions')
    .where('rail', '=', rail)
    .where('sender', '=', sender)
    .orderBy('nonce', 'desc')
    .select('nonce')
    .executeTakeFirst()
  return found?.nonce
}

/** Transactions that are in no block, ordered by sender and nonce. */
export function selectUnmined(op: Op, rail: string): Promise<ChainTransactionRow[]> {
  return op.read
    .selectFrom('chain_transactions')
    .where('rail', '=', rail)
    .where('platform_id', '=', op.platform.id)
    .where('state', '=', 'OPEN')
    .orderBy('sender')
    .orderBy('nonce')
    .selectAll()
    .execute()
}

/** Transactions whose block is not confirmed yet, ordered by block. */
export function selectMined(op: Op, rail: string, limit: number): Promise<ChainTransactionRow[]> {
  return op.read
    .selectFrom('chain_transactions')
    .where('rail', '=', rail)
    .where('platform_id', '=', op.platform.id)
    .where('state', '=', 'MINED')
    .orderBy('block_number')
    .orderBy('id')
    .limit(limit)
    .selectAll()
    .execute()
}

/** A sender's amounts in transactions that are in no block, by token. */
export async function selectInTransit(op: Op, rail: string, sender: Hex): Promise<Map<Hex, bigint>> {
  const rows = await op.read
    .selectFrom('chain_payments as p')
    .innerJoin('chain_transactions as t', 't.id', 'p.transaction_id')
    .where('p.rail', '=', rail)
    .where('p.state', '=', 'SENT')
    .where('p.sender', '=', sender)
    .where('t.state', '=', 'OPEN')
    .groupBy('p.token')
    .select(['p.token', sql<string>`sum(p.amount)::text`.as('amount')])
    .execute()
  return new Map(rows.map(({ token, amount }) => [token, BigInt(amount)]))
}

/** Waiting payments of these senders that were never signed, except payments to the addresses in `except`. */
export function selectUnsigned(
  op: Op,
  rail: string,
  senders: readonly Hex[],
  except: readonly Hex[],
  limit: number,
): Promise<ChainPaymentRow[]> {
  return op.read
    .selectFrom('chain_payments')
    .where('rail', '=', rail)
    .where('state', '=', 'WAITING')
    .where('attempts', '=', 0)
    .where('sender', 'in', senders)
    .where('recipient', 'not in', except)
    .orderBy('id')
    .limit(limit)
    .selectAll()
    .execute()
}

/** Movements from one address to another. */
export function selectMovesFrom(
  op: Op,
  rail: string,
  sender: Hex,
  recipient: Hex,
  currency: string,
): Promise<Pick<ChainPaymentRow, 'state'>[]> {
  return op.read
    .selectFrom('chain_payments')
    .where('rail', '=', rail)
    .where('kind', '=', 'MOVE')
    .where('sender', '=', sender)
    .where('recipient', '=', recipient)
    .where('currency', '=', currency)
    .select('state')
    .execute()
}

/** The amount that a sender's open payments in a currency need, in the smallest unit. */
export async function sumOpenPaymentAmounts(
  op: Op,
  rail: string,
  sender: Hex,
  currency: string,
): Promise<bigint> {
  const rows = await op.read
    .selectFrom('chain_payments')
    .where('rail', '=', rail)
    .where('sender', '=', sender)
    .where('currency', '=', currency)
    .where('state', 'in', ['WAITING', 'SENT'])
    .select('amount')
    .execute()
  return rows.reduce((sum, { amount }) => sum + amount, 0n)
}

/** True if a sender has an unfinished payment, or a transaction that is in no confirmed block. */
export async function hasOpenWork(op: Op, rail: string, sender: Hex): Promise<boolean> {
  const [payment, transaction] = await Promise.all([
    op.read
      .selectFrom('chain_payments')
      .where('rail', '=', rail)
      .where('sender', '=', sender)
      .where('state', 'in', ['WAITING', 'SENT'])
      .select('id')
      .executeTakeFirst(),
    op.read
      .selectFrom('chain_transactions')
      .where('rail', '=', rail)
      .where('sender', '=', sender)
      .where('state', '<>', 'DONE')
      .select('id')
      .executeTakeFirst(),
  ])
  return payment !== undefined || transaction !== undefined
}
