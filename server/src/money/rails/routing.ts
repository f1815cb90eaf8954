import { accountType } from '@countersign/contract/accounts/account-types'
import type { RailEntryValue } from '@countersign/contract/connectors/rails-file'
import type { RailLimits, RouteRequest } from '../../kernel/ports/rail.ts'

/** Pure functions that decide whether a rail carries a payment, by its entry. */
export type Served = Pick<RailEntryValue, 'isRetired' | 'serves' | 'limits'>

/** True if a rail carries this, regardless of the amount. */
export function serves({ isRetired, serves: lines }: Served, wanted: RouteRequest): boolean {
  return !isRetired && lines.some((line) => isFor(line, wanted))
}

/** True if it carries this amount. */
export function isWithin({ min, max }: RailLimits, amount: bigint | undefined): boolean {
  return amount === undefined || ((min ?? amount) <= amount && amount <= (max ?? amount))
}

/** The amounts of a currency that a rail carries in one payment. */
export function limitsOf({ limits = [] }: Served, currency: string): RailLimits {
  return limits.find((one) => one.currency === currency) ?? {}
}

/** The currencies that others pay in by it. */
export function currenciesIn({ serves: lines }: Served): string[] {
  return [...new Set(lines.flatMap(({ direction, currencies }) => (direction === 'IN' ? currencies : [])))]
}

function isFor(
  { direction, accountTypes, paymentRails, currencies }: Served['serves'][number],
  wanted: RouteRequest,
): boolean {
  if (direction !== wanted.direction || !currencies.includes(wanted.currency)) return false
  if (!accountTypes.includes(wanted.accountType)) return false
  if (paymentRails === undefined) return true
  // A payment that names no network goes by any that the account has.
  const asked = wanted.paymentRail === null ? accountType(wanted.accountType).rails : [wanted.paymentRail]
  return paymentRails.some((one) => asked.some((rail) => rail === one))
}
