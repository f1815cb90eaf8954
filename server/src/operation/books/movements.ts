import type { Op } from '../../kernel/operation/app.ts'
import { shiftTime } from './shift-time.ts'
import { type HoldRow, type MovementRow, selectHolds, selectMovements } from './store.ts'

export type { HoldRow, MovementRow } from './store.ts'

/** The postings to an account in [from, to), in counting order, up to `max`. */
export async function findMovements(
  op: Op,
  accountId: string,
  from: Date,
  to: Date,
  max: number,
): Promise<readonly MovementRow[]> {
  return selectMovements(op, accountId, from, to, max)
}

/** The maximum number of holds that a statement lists. */
const HOLDS_MAX = 1_000

const DAY_MS = 24 * 60 * 60 * 1000
/** The periods searched for holds, one after the other: most are from today, few are old. */
const REACHES_MS = [2 * DAY_MS, 60 * DAY_MS, Number.POSITIVE_INFINITY] as const
const BEGINNING = new Date(0)

/**
 * An account's holds at a time, newest first. `held` is their sum: once the found holds reach it, the rest of
 * the account's history is not read.
 */
export async function findHolds(
  op: Op,
  accountId: string,
  at: Date,
  held: bigint,
): Promise<readonly HoldRow[]> {
  const found: HoldRow[] = []
  let left = held
  let before = at
  for (const reachMs of REACHES_MS) {
    if (left <= 0n || found.length >= HOLDS_MAX) break
    const from = Number.isFinite(reachMs) ? shiftTime(at, -reachMs) : BEGINNING
    const rows = await selectHolds(op, accountId, at, { from, before }, HOLDS_MAX - found.length)
    for (const { amount } of rows) left -= amount
    found.push(...rows)
    before = from
  }
  return found
}
