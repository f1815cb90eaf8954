import { sql } from 'kysely'
import type { Op } from '../../kernel/operation/app.ts'
import type { VelocityCounterRow } from '../../storage/rows/risk.ts'

/** The sums that count against the limits of customers and payees, by digest, for a day and its month. */
export async function selectCounters(
  op: Op,
  digests: readonly string[],
  periods: readonly string[],
  currency: string,
): Promise<VelocityCounterRow[]> {
  return op.read
    .selectFrom('velocity_counters')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('currency', '=', currency)
    .where(sql<boolean>`subject_digest = ANY (${digests})`)
    .where('period', 'in', periods)
    .execute()
}
