import type { MandateStatus } from '@countersign/contract/accounts/mandates'
import { sql } from 'kysely'
import { toUtcDay } from '../../base/formats/utc-day.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { lookupById } from '../../storage/read/lookup.ts'
import { whenGiven, whereIfDefined } from '../../storage/read/where-given.ts'
import type { MandateRow } from '../../storage/rows/mandate.ts'

const BY_ID = lookupById('mandates')

/**
 * A mandate expires if it is not used for this many months: SEPA CORE rulebook 4.1, and the dormancy period
 * of Bacs.
 */
export const EXPIRES_AFTER_MONTHS = { SEPA: 36, BACS: 24 } as const

export async function selectMandate(op: Op, id: string): Promise<MandateRow | undefined> {
  return op.find(BY_ID, id)
}

export interface MandateFilters {
  readonly externalAccountId?: string
  readonly customerId?: string
  readonly status?: MandateStatus
}

/** A page of the matching mandates. */
export function selectMandates(op: Op, { externalAccountId, customerId, status }: MandateFilters) {
  return op.read
    .selectFrom('mandates')
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'external_account_id', '=', externalAccountId))
    .$call((q) => whereIfDefined(q, 'customer_id', '=', customerId))
    .$call((q) => whenGiven(q, status, (all, one) => all.where(hasStatus(op, one))))
    .selectAll()
}

/** The SQL condition for a status: the counterpart of `getMandateStatus`. */
function hasStatus({ now }: Op, status: MandateStatus) {
  if (status === 'CANCELED') return sql<boolean>`canceled_at IS NOT NULL`
  const { SEPA, BACS } = EXPIRES_AFTER_MONTHS
  const hasExpired = sql`coalesce(last_collected_on, signed_on)::date + CASE WHEN debtor_sort_code IS NULL
    THEN ${sql.lit(`${SEPA} months`)}::interval ELSE ${sql.lit(`${BACS} months`)}::interval END <= ${toUtcDay(now)}::date`
  return status === 'EXPIRED'
    ? sql<boolean>`(canceled_at IS NULL AND ${hasExpired})`
    : sql<boolean>`(canceled_at IS NULL AND NOT (${hasExpired}))`
}

/** The mandate of an account that was not canceled. It may have expired. */
export async function selectUncanceled(op: Op, externalAccountId: string): Promise<MandateRow | undefined> {
  return selectMandates(op, { externalAccountId }).where('canceled_at', 'is', null).executeTakeFirst()
}

/** The mandates of a customer that were not canceled. */
export function selectUncanceledByCustomer(op: Op, customerId: string): Promise<MandateRow[]> {
  return selectMandates(op, { customerId }).where('canceled_at', 'is', null).execute()
}

/** The id of the mandate with this reference, ignoring case. */
export async function selectByMandateReference(op: Op, reference: string) {
  return op.read
    .selectFrom('mandates')
    .where('platform_id', '=', op.platform.id)
    .where(sql<string>`upper(reference)`, '=', reference.toUpperCase())
    .select('id')
    .executeTakeFirst()
}
