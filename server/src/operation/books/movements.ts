import type { Op } from '../../kernel/operation/app.ts'
import { shiftTime } from './shift-time.ts'
import { type HoldRow, type MovementRow, selectHolds, selectMovements } from './store.ts'

export type { HoldRow, MovementRow } from './store.ts'

/** Up to `max` postings to an account in [from, to), in booking order. */
export async function findMovements(
  op: Op,
  accountId: string,
  from: Date,
  to: Date,
  max: number,
): Promise<readonly MovementRow[]> {
  return selectMovements(op, accountId, from, to, max)
}

/** The maximum number of holds in a statement. */
const HOLDS_MAX = 1_000

const DAY_MS = 24 * 60 * 60 * 1000
/** Successive search windows for holds. Most holds are recent. */
const LOOKBACKS_MS = [2 * DAY_MS, 60 * DAY_MS, Number.POSITIVE_INFINITY] as const
const BEGINNING = new Date(0)

/** The holds of an account at a time, newest first. The search stops once their sum reaches `held`. */
export async function findHolds(
  op: Op,
  accountId: string,
  at: Date,
  held: bigint,
): Promise<readonly HoldRow[]> {
  const found: HoldRow[] = []
  let left = held
  let before = at
  for (const lookbackMs of LOOKBACKS_MS) {
    if (left <= 0n || found.length >= HOLDS_MAX) break
    const from = Number.isFinite(lookbackMs) ? shiftTime(at, -lookbackMs) : BEGINNING
    const rows = await selectHolds(op, accountId, at, { from, before }, HOLDS_MAX - found.length)
    for (const { amount } of rows) left -= amount
    found.push(...rows)
    before = from
  }
  return found
}
