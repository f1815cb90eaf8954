import type { Op } from '../../kernel/operation/app.ts'
import { type BalancesRow, selectBalancesBack, selectBalancesForth } from './store.ts'

/**
 * Balances of a moment: all that was posted before it, and what was held then. Either the transfers since the moment are taken
 * off the balances of now, or those before it are summed up, whichever span of the platform's life is shorter. Smallest unit, on
 * the account's normal side, by account id.
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
