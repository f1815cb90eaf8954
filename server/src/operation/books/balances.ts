import type { Op } from '../../kernel/operation/app.ts'
import { type BalancesRow, selectBalancesBack, selectBalancesForth } from './store.ts'

/**
 * Balances at a time: everything posted before it, and the amounts held then. Either later transfers are
 * subtracted from the current balances, or earlier ones are summed up, whichever period is shorter. Smallest
 * unit, on the account's normal side, by account id.
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
