import type { Op } from '../../kernel/operation/app.ts'
import { type BalancesRow, selectBalancesBack, selectBalancesForth } from './store.ts'

/**
 * Posted and held balances at a time, by account id: in the smallest unit, on the account's normal side.
 * Subtracts later transfers from the current balances or sums up all earlier ones, whichever period is
 * shorter.
 */
export async function findBalancesAt(
  op: Op,
  ids: readonly string[],
  at: Date,
): Promise<ReadonlyMap<string, BalancesRow>> {
  const isOld = at.getTime() - op.platform.created_at.getTime() < op.now.getTime() - at.getTime()
  const rows = await (isOld ? selectBalancesForth : selectBalancesBack)(op, ids, at)
  return new Map(rows.map((row) => [row.id, row]))
}
