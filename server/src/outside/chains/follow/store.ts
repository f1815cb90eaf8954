import type { NotNull } from 'kysely'
import type { Hex } from '../../../base/formats/hex.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import { lookupById } from '../../../storage/read/lookup.ts'
import type {
  ChainAddressRow,
  ChainBlockRow,
  ChainMovementRow,
  ChainPaymentRow,
  ChainTransactionRow,
} from '../../../storage/rows/chain.ts'

/** A rail's followed addresses. Cold storage is included once its opening balance has been recorded. */
function queryFollowedAddresses(op: Op, rail: string) {
  return op.read
    .selectFrom('chain_addresses')
    .where('rail', '=', rail)
    .where((where) => where.or([where('role', '<>', 'COLD'), where('opened_block', 'is not', null)]))
}

/** Cold storage addresses that are not followed yet. */
export function selectColdToOpen(op: Op, rail: string): Promise<ChainAddressRow[]> {
  return op.read
    .selectFrom('chain_addresses')
    .where('rail', '=', rail)
    .where('role', '=', 'COLD')
    .where('opened_block', 'is', null)
    .orderBy('address')
    .selectAll()
    .execute()
}

/** Cold storage addresses followed only from a block above this one. */
export function selectColdAbove(op: Op, rail: string, block: bigint): Promise<ChainAddressRow[]> {
  return op.read
    .selectFrom('chain_addresses')
    .where('rail', '=', rail)
    .where('role', '=', 'COLD')
    .where('opened_block', '>', block)
    .selectAll()
    .execute()
}

/** A rail's followed addresses, oldest first. */
export function selectAddresses(op: Op, rail: string, limit: number): Promise<ChainAddressRow[]> {
  return queryFollowedAddresses(op, rail)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .selectAll()
    .execute()
}

/** Those of the given addresses that are ours and followed. */
export function selectAddressesAmong(
  op: Op,
  rail: string,
  candidates: readonly Hex[],
): Promise<ChainAddressRow[]> {
  return queryFollowedAddresses(op, rail).where('address', 'in', candidates).selectAll().execute()
}

/** Recorded movements of these transactions, ordered by log. */
export function selectTransactionMovements(
  op: Op,
  rail: string,
  transactionHashes: readonly Hex[],
): Promise<ChainMovementRow[]> {
  return op.read
    .selectFrom('chain_movements')
    .where('rail', '=', rail)
    .where('transaction_hash', 'in', transactionHashes)
    .orderBy('log_index')
    .orderBy('id')
    .selectAll()
    .execute()
}

/** Payments from these senders whose authorization has one of these nonces. */
export async function selectPaymentsByNonce(
  op: Op,
  rail: string,
  senders: readonly Hex[],
  nonces: readonly Hex[],
): Promise<ChainPaymentRow[]> {
  const by = (column: 'nonce' | 'fee_nonce') =>
    op.read
      .selectFrom('chain_payments')
      .where('rail', '=', rail)
      .where('sender', 'in', senders)
      .where(column, 'in', nonces)
      .selectAll()
      .execute()
  return (await Promise.all([by('nonce'), by('fee_nonce')])).flat()
}

/** The plain transfers carried by our transactions, with the hashes of all their signed forms. */
export async function selectPlainPayments(
  op: Op,
  rail: string,
  transactionHashes: readonly Hex[],
): Promise<{ readonly payment: ChainPaymentRow; readonly hashes: readonly Hex[] }[]> {
  const transactions = op.read
    .selectFrom('chain_transactions')
    .where('rail', '=', rail)
    .where('payment_id', 'is not', null)
    .select(['payment_id', 'attempts'])
    .$narrowType<{ payment_id: NotNull }>()
  const [open, done] = await Promise.all([
    transactions.where('state', '<>', 'DONE').execute(),
    transactions.where('transaction_hash', 'in', transactionHashes).execute(),
  ])
  const hashes = new Map(
    [...open, ...done].map((row) => [row.payment_id, row.attempts.map(({ hash }) => hash)]),
  )
  const found = [...hashes].filter(([, signed]) => signed.some((hash) => transactionHashes.includes(hash)))
  if (found.length === 0) return []
  const payments = await op.read
    .selectFrom('chain_payments')
    .where(
      'id',
      'in',
      found.map(([id]) => id),
    )
    .where('nonce', 'is', null)
    .selectAll()
    .execute()
  return payments.map((payment) => ({ payment, hashes: hashes.get(payment.id) ?? [] }))
}

const BLOCK_BY_ID = lookupById('chain_blocks')

export async function selectBlock(op: Op, id: string): Promise<ChainBlockRow | undefined> {
  return op.find(BLOCK_BY_ID, id)
}

/** Stored blocks up to a number, latest first. */
export function selectBlocks(op: Op, rail: string, upTo: bigint, limit: number): Promise<ChainBlockRow[]> {
  return op.read
    .selectFrom('chain_blocks')
    .where('rail', '=', rail)
    .where('number', '<=', upTo)
    .orderBy('number', 'desc')
    .limit(limit)
    .selectAll()
    .execute()
}

/** Movements booked from blocks above a number. */
export function selectBookedAbove(
  op: Op,
  rail: string,
  block: bigint,
  limit: number,
): Promise<ChainMovementRow[]> {
  return op.read
    .selectFrom('chain_movements')
    .where('rail', '=', rail)
    .where('block_number', '>', block)
    .where('state', '=', 'BOOKED')
    .limit(limit)
    .selectAll()
    .execute()
}

export function selectUnsure(op: Op, rail: string, limit: number): Promise<ChainMovementRow[]> {
  return op.read
    .selectFrom('chain_movements')
    .where('rail', '=', rail)
    .where('state', '=', 'UNSURE')
    .orderBy('id')
    .limit(limit)
    .selectAll()
    .execute()
}

const MOVEMENT_BY_ID = lookupById('chain_movements')

export async function selectMovement(op: Op, id: string): Promise<ChainMovementRow | undefined> {
  return op.find(MOVEMENT_BY_ID, id)
}

/** Our transactions confirmed in blocks above a number. */
export function selectDoneAbove(
  op: Op,
  rail: string,
  block: bigint,
  limit: number,
): Promise<ChainTransactionRow[]> {
  return op.read
    .selectFrom('chain_transactions')
    .where('rail', '=', rail)
    .where('state', '=', 'DONE')
    .where('block_number', '>', block)
    .limit(limit)
    .selectAll()
    .execute()
}

/**
 * Payments paid in blocks above a number, each with a flag that says whether a pending transaction of ours
 * carries it.
 */
export function selectPaidAbove(
  op: Op,
  rail: string,
  block: bigint,
  limit: number,
): Promise<(ChainPaymentRow & { readonly isCarried: boolean })[]> {
  return op.read
    .selectFrom('chain_payments as p')
    .where('p.rail', '=', rail)
    .where('p.state', '=', 'PAID')
    .where('p.block_number', '>', block)
    .limit(limit)
    .selectAll('p')
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('chain_transactions as t')
          .whereRef('t.id', '=', 'p.transaction_id')
          .where('t.state', '<>', 'DONE')
          .select('t.id'),
      )
        .$castTo<boolean>()
        .as('isCarried'),
    )
    .execute()
}

/** Sender and recipient of recent movements. */
export function selectRecentMovements(
  op: Op,
  rail: string,
  since: Date,
  limit: number,
): Promise<Pick<ChainMovementRow, 'sender' | 'recipient' | 'created_at'>[]> {
  return op.read
    .selectFrom('chain_movements')
    .where('rail', '=', rail)
    .where('created_at', '>=', since)
    .orderBy('created_at')
    .limit(limit)
    .select(['sender', 'recipient', 'created_at'])
    .execute()
}

const WORTH_SWEEPING = `
SELECT a.id, a.address, h.held::text AS held FROM chain_addresses a CROSS JOIN LATERAL (
  SELECT coalesce((SELECT sum(amount) FROM chain_movements m WHERE m.rail = a.rail AND m.recipient = a.address
      AND m.currency = $2 AND m.state = 'BOOKED' AND m.kind IN ('DEPOSIT', 'OWN', 'FROM_COLD')), 0)
    - coalesce((SELECT sum(amount) FROM chain_movements m WHERE m.rail = a.rail AND m.sender = a.address
      AND m.currency = $2 AND m.state <> 'GONE' AND m.kind IN ('PAYMENT', 'SPENT', 'OWN')), 0) AS held) h
WHERE a.rail = $1 AND a.address = ANY ($3::text[]) AND a.role IN ('DEPOSIT', 'GAS') AND h.held >= $4`

/** Ledger balances of deposit and gas addresses in a currency, at or above a minimum. */
export async function selectSweepable(
  op: Op,
  rail: string,
  currency: string,
  candidates: readonly Hex[],
  minimum: bigint,
): Promise<{ readonly id: string; readonly address: Hex; readonly held: bigint }[]> {
  const { rows } = await op.db.query<{ id: string; address: Hex; held: string }>(WORTH_SWEEPING, [
    rail,
    currency,
    candidates,
    minimum,
  ])
  return rows.map((row) => ({ ...row, held: BigInt(row.held) }))
}

/** Sweeps that failed in a time range, in order of failure. */
export function selectFailedSweeps(
  op: Op,
  rail: string,
  from: Date,
  to: Date,
  limit: number,
): Promise<Pick<ChainPaymentRow, 'sender' | 'updated_at'>[]> {
  return op.read
    .selectFrom('chain_payments')
    .where('rail', '=', rail)
    .where('kind', '=', 'SWEEP')
    .where('state', '=', 'FAILED')
    .where('updated_at', '>=', from)
    .where('updated_at', '<=', to)
    .orderBy('updated_at')
    .limit(limit)
    .select(['sender', 'updated_at'])
    .execute()
}

/**
 * All sweeps of the given addresses. Each sweep has a nonce, so the index on nonces finds it by its sender.
 */
export function selectSweeps(op: Op, rail: string, senders: readonly Hex[]): Promise<ChainPaymentRow[]> {
  return op.read
    .selectFrom('chain_payments')
    .where('rail', '=', rail)
    .where('sender', 'in', senders)
    .where('nonce', 'is not', null)
    .where('kind', '=', 'SWEEP')
    .selectAll()
    .execute()
}
