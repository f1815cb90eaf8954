import { accountType } from '@countersign/contract/accounts/account-types'
import type { RailEntryValue } from '@countersign/contract/connectors/rails-file'
import type { RailLimits, RouteRequest } from '../../kernel/ports/rail.ts'

/** The part of a rail's entry that decides which payments the rail carries. */
export type Served = Pick<RailEntryValue, 'isRetired' | 'serves' | 'limits'>

/** True if a rail serves this request, regardless of the amount. */
export function canServe({ isRetired, serves: lines }: Served, request: RouteRequest): boolean {
  return !isRetired && lines.some((line) => matchesLine(line, request))
}

/** True if the limits allow this amount. */
export function isWithin({ min, max }: RailLimits, amount: bigint | undefined): boolean {
  return amount === undefined || ((min ?? amount) <= amount && amount <= (max ?? amount))
}

/** The limits of a rail for a single payment in a currency. */
export function findLimits({ limits = [] }: Served, currency: string): RailLimits {
  return limits.find((limit) => limit.currency === currency) ?? {}
}

/** The currencies in which a rail accepts incoming payments. */
export function listIncomingCurrencies({ serves: lines }: Served): string[] {
  return [...new Set(lines.flatMap(({ direction, currencies }) => (direction === 'IN' ? currencies : [])))]
}

function matchesLine(
  { direction, accountTypes, paymentRails, currencies }: Served['serves'][number],
  request: RouteRequest,
): boolean {
  if (direction !== request.direction || !currencies.includes(request.currency)) return false
  if (!accountTypes.includes(request.accountType)) return false
  if (paymentRails === undefined) return true
  // A payment without a named network may use any network of the account's type.
  const networks =
    request.paymentRail === null ? accountType(request.accountType).rails : [request.paymentRail]
  return paymentRails.some((limit) => networks.some((rail) => rail === limit))
}
