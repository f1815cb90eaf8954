import { bothSides, LATE_MS, moved, SKEW_MS } from '../books/both-sides.ts'
import { uuidOf } from '../db/engine/ids.ts'
import type { LedgerTransferRow } from '../db/schema/ledger-tables.ts'
import { TRANSFER_INITIAL } from '../db/schema/states.ts'
import type { Op } from '../op/app.ts'

/** A movement of one account: positive where it adds. */
export interface MovementRow {
  readonly id: string
  readonly change: bigint
  readonly cause: string
  readonly cause_id: string
  readonly created_at: Date
  readonly ended_at: Date
}

const MOVEMENTS = `
SELECT m.* FROM (SELECT $1::uuid AS id) a CROSS JOIN LATERAL (${bothSides(
  't.id, SIGN t.amount AS change, t.cause, t.cause_id, t.created_at, t.ended_at',
  "t.platform_id = $6 AND t.state = 'posted' AND t.ended_at >= $4 AND t.ended_at < $5",
)}) m
ORDER BY m.ended_at, m.is_debit, m.id LIMIT $7`

/**
 * What was posted to an account in [from, to), in the order in which it counts. At the same moment, what adds comes first. Reads what
 * was made since a day before `from`, and what ended late.
 */
export async function selectMovements(
  op: Op,
  accountId: string,
  from: Date,
  to: Date,
  max: number,
): Promise<MovementRow[]> {
  const parameters = [
    uuidOf(accountId),
    moved(from, -LATE_MS),
    moved(to, SKEW_MS),
    from,
    to,
    uuidOf(op.platform.id),
    max,
  ]
  return (await op.db.query<MovementRow>(MOVEMENTS, parameters)).rows
}

/** A transfer out of an account that is pending, or was at a moment. */
export type HoldRow = Pick<LedgerTransferRow, 'id' | 'amount' | 'cause' | 'cause_id' | 'created_at'>

/** What an account held at a moment, of the transfers that were made within these times before it, newest first. */
export async function selectHolds(
  op: Op,
  accountId: string,
  at: Date,
  made: { readonly from: Date; readonly before: Date },
  max: number,
): Promise<HoldRow[]> {
  return op.read
    .selectFrom('ledger_transfers')
    .select(['id', 'amount', 'cause', 'cause_id', 'created_at'])
    .where('debit_account_id', '=', accountId)
    .where('platform_id', '=', op.platform.id)
    .where('created_at', '>=', made.from)
    .where('created_at', '<', made.before)
    .where((eb) => eb.or([eb('state', '=', TRANSFER_INITIAL), eb('ended_at', '>=', at)]))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(max)
    .execute()
}
