import type { Op } from '../../kernel/operation/app.ts'
import { type BalancesRow, selectBalancesBack, selectBalancesForth } from './store.ts'

/**
 * Balances at a time: everything posted before it, and the amounts held at that time. Either subtracts later
 * transfers from the current balances or sums up all earlier ones, depending on which period is shorter. In
 * the smallest unit, on the account's normal side, by account id.
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
