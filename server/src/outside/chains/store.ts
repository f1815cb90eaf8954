import type { Hex } from '../../base/formats/hex.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { ReadsFrom } from '../../kernel/ports/rail.ts'
import { lookupById } from '../../storage/read/lookup.ts'
import type { Read } from '../../storage/read/read.ts'
import type { ChainAddressRow, ChainMovementRow, ChainRole, ChainRow } from '../../storage/rows/chain.ts'

const CHAIN_BY_ID = lookupById('chains')

export async function selectChain(op: Op, id: string): Promise<ChainRow | undefined> {
  return op.find(CHAIN_BY_ID, id)
}

/** The latest block that the worker has processed on a rail's chain. Undefined until it has reached the chain. */
export async function selectFollowedBlock(
  { db }: Pick<ReadsFrom, 'db'>,
  rail: string,
): Promise<bigint | undefined> {
  const { rows } = await db.query<{ followed_block: bigint }>(
    'SELECT followed_block FROM chains WHERE rail = $1',
    [rail],
  )
  return rows[0]?.followed_block
}

/** The role of a lowercase address on a rail's chain, if the address is ours. */
export async function selectAddressRole(
  read: Read,
  rail: string,
  address: Hex,
): Promise<ChainRole | undefined> {
  const found = await read
    .selectFrom('chain_addresses')
    .where('rail', '=', rail)
    .where('address', '=', address)
    .select('role')
    .executeTakeFirst()
  return found?.role
}

/** The inputs of a currency's statement: the position of the chain, and the movements since a time. */
export interface ChainTotals {
  /** Undefined until the worker has reached the chain. */
  readonly followedBlock: bigint | undefined
  readonly latestTime: Date | undefined
  /** True if the worker has caught up and no movement is in state UNSURE. */
  readonly isSettled: boolean
  /** Money in minus money out, from the requested time up to the followed block. */
  readonly netAmount: bigint
}

/** A group of addresses that a statement covers: those whose keys are on this server, or cold storage. */
export type AddressGroup = 'ours' | 'cold'

/**
 * The sign of each kind of movement in a group's total. Transfers between the group's own addresses do not
 * count.
 */
const SIGNS = {
  ours: `CASE m.kind WHEN 'DEPOSIT' THEN 1 WHEN 'FROM_COLD' THEN 1
    WHEN 'PAYMENT' THEN -1 WHEN 'SPENT' THEN -1 WHEN 'TO_COLD' THEN -1 ELSE 0 END`,
  cold: `CASE m.kind WHEN 'COLD_IN' THEN 1 WHEN 'TO_COLD' THEN 1
    WHEN 'COLD_OUT' THEN -1 WHEN 'FROM_COLD' THEN -1 ELSE 0 END`,
} as const satisfies Record<AddressGroup, string>

const buildTotalsQuery = (sign: string) => `
SELECT c.followed_block AS "followedBlock", c.latest_time AS "latestTime",
  c.followed_block = c.highest_block
    AND NOT EXISTS (SELECT 1 FROM chain_movements u WHERE u.rail = c.rail AND u.state = 'UNSURE') AS "isSettled",
  (coalesce((SELECT sum(${sign} * m.amount) FROM chain_movements m WHERE m.rail = c.rail AND m.currency = $2
      AND m.booked_at >= $3 AND m.block_number <= c.followed_block), 0)
    - coalesce((SELECT sum(${sign} * m.amount) FROM chain_movements m WHERE m.rail = c.rail AND m.currency = $2
      AND m.gone_at >= $3), 0))::text AS since
FROM chains c WHERE c.rail = $1`

const TOTALS_SQL = { ours: buildTotalsQuery(SIGNS.ours), cold: buildTotalsQuery(SIGNS.cold) } as const

export async function selectTotals(
  { db }: Pick<ReadsFrom, 'db'>,
  rail: string,
  currency: string,
  from: Date,
  group: AddressGroup,
): Promise<ChainTotals> {
  const { rows } = await db.query<{
    followedBlock: bigint
    latestTime: Date
    isSettled: boolean
    since: string
  }>(TOTALS_SQL[group], [rail, currency, from])
  const [row] = rows
  if (!row) return { followedBlock: undefined, latestTime: undefined, isSettled: false, netAmount: 0n }
  const { since, ...position } = row
  return { ...position, netAmount: BigInt(since) }
}

/** A movement as a statement entry. `amount` is positive for money in. */
export interface BookedMovement {
  readonly entryId: string
  readonly bookedAt: Date
  readonly amount: bigint
  readonly kind: Exclude<ChainMovementRow['kind'], 'OWN'>
  readonly isReorged: boolean
  readonly transactionHash: Hex
  readonly logIndex: number
  /** The rail's reference of the deposit, if the movement is a deposit. */
  readonly depositId: string | null
  /** The payment, transaction or treasury movement that the movement belongs to, if any. */
  readonly paymentId: string | null
}

const buildBookedQuery = (sign: string) => `
SELECT b.* FROM (
  SELECT m.id::text AS "entryId", m.booked_at AS "bookedAt", ${sign} * m.amount AS amount, false AS "isReorged", m.kind,
    m.transaction_hash AS "transactionHash", m.log_index AS "logIndex", d.rail_reference AS "depositId",
    coalesce(p.payment_id, t.id, v.id) AS "paymentId"
  FROM chain_movements m LEFT JOIN deposits d ON d.id = m.item_id AND m.kind = 'DEPOSIT'
    LEFT JOIN chain_payments p ON p.id = m.item_id AND m.kind IN ('PAYMENT', 'TO_COLD')
    LEFT JOIN transactions t ON t.id = m.item_id AND m.kind = 'SPENT'
    LEFT JOIN treasury_movements v ON v.id = m.item_id AND m.kind = 'FROM_COLD'
  WHERE m.rail = $1 AND m.currency = $2 AND m.booked_at >= $3 AND m.booked_at < $4 AND ${sign} <> 0
  UNION ALL
  SELECT m.id::text || ' gone', m.gone_at, - (${sign}) * m.amount, true, m.kind,
    m.transaction_hash, m.log_index, d.rail_reference, coalesce(p.payment_id, t.id, v.id)
  FROM chain_movements m LEFT JOIN deposits d ON d.id = m.item_id AND m.kind = 'DEPOSIT'
    LEFT JOIN chain_payments p ON p.id = m.item_id AND m.kind IN ('PAYMENT', 'TO_COLD')
    LEFT JOIN transactions t ON t.id = m.item_id AND m.kind = 'SPENT'
    LEFT JOIN treasury_movements v ON v.id = m.item_id AND m.kind = 'FROM_COLD'
  WHERE m.rail = $1 AND m.currency = $2 AND m.gone_at >= $3 AND m.gone_at < $4 AND ${sign} <> 0
) b ORDER BY b."bookedAt", b."entryId"`

const BOOKED_SQL = { ours: buildBookedQuery(SIGNS.ours), cold: buildBookedQuery(SIGNS.cold) } as const

/**
 * Movements booked in a time range, and movements whose booking was undone by a reorganization in that range.
 */
export async function selectBookedMovements(
  { db }: Pick<ReadsFrom, 'db'>,
  rail: string,
  currency: string,
  from: Date,
  until: Date,
  group: AddressGroup,
): Promise<BookedMovement[]> {
  const { rows } = await db.query<BookedMovement>(BOOKED_SQL[group], [rail, currency, from, until])
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }))
}

/** The amounts that an address has paid out since a time, by currency. */
export async function selectPaidOutSince(
  { db }: Pick<ReadsFrom, 'db'>,
  rail: string,
  sender: Hex,
  since: Date,
): Promise<ReadonlyMap<string, bigint>> {
  const { rows } = await db.query<{ currency: string; amount: string }>(
    `SELECT currency, sum(amount)::text AS amount FROM chain_movements
     WHERE rail = $1 AND created_at >= $2 AND sender = $3 AND kind = 'PAYMENT' AND state <> 'GONE' GROUP BY currency`,
    [rail, since, sender],
  )
  return new Map(rows.map(({ currency, amount }) => [currency, BigInt(amount)]))
}

/**
 * A page of a group's addresses on a rail, in address order. Cold storage addresses appear once they are
 * followed.
 */
export async function selectAddressesAfter(
  { db }: Pick<ReadsFrom, 'db'>,
  rail: string,
  group: AddressGroup,
  after: string | undefined,
  limit: number,
): Promise<{ readonly address: Hex }[]> {
  const { rows } = await db.query<{ address: Hex }>(
    `SELECT address FROM chain_addresses WHERE rail = $1 AND address > $2
       AND ${group === 'cold' ? "role = 'COLD' AND opened_block IS NOT NULL" : "role <> 'COLD'"}
     ORDER BY address LIMIT $3`,
    [rail, after ?? '', limit],
  )
  return rows
}

/** The treasury's current and retired addresses on a rail. */
export function selectTreasuries(read: Read, rail: string): Promise<ChainAddressRow[]> {
  return read
    .selectFrom('chain_addresses')
    .where('rail', '=', rail)
    .where('role', '=', 'TREASURY')
    .orderBy('created_at')
    .orderBy('id')
    .selectAll()
    .execute()
}

export async function selectTreasuryId(read: Read, rail: string): Promise<string> {
  const { treasury_id } = await read
    .selectFrom('chains')
    .where('rail', '=', rail)
    .select('treasury_id')
    .executeTakeFirstOrThrow()
  return treasury_id
}
