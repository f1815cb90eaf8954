/**
 * By how much a merchant's claim may exceed the authorization, for tips, fuel, or extra days of a stay. The
 * table contains what the card networks allow by category. All other categories have a percentage.
 */

/** Percentage of the authorized amount, unless the category or the platform sets another. */
export const OVER_CLAIM_PERCENT_DEFAULT = 50
/** Maximum percentage that a platform can set. */
export const OVER_CLAIM_PERCENT_MAX = 100

export interface OverClaimRule {
  /** Merchant category codes (ISO 18245), inclusive. */
  readonly from: string
  readonly to: string
  readonly what: string
  /** The allowed excess as a percentage of the authorized amount. */
  readonly percent: number
  /**
   * Total claims that are always allowed, in whole units of the card's currency, regardless of the authorized
   * amount.
   */
  readonly units?: number
}

/** The ranges do not overlap. */
export const OVER_CLAIM_RULES: readonly OverClaimRule[] = [
  { from: '3351', to: '3500', what: 'Car rental, by name', percent: 15 },
  { from: '3501', to: '3999', what: 'Hotels, by name', percent: 15 },
  { from: '4121', to: '4121', what: 'Taxis', percent: 20 },
  { from: '4411', to: '4411', what: 'Cruises', percent: 15 },
  { from: '5542', to: '5542', what: 'Fuel pumps, which authorize one unit', percent: 0, units: 175 },
  { from: '5812', to: '5814', what: 'Restaurants, bars, fast food: the tip', percent: 20 },
  { from: '7011', to: '7011', what: 'Hotels', percent: 15 },
  { from: '7230', to: '7230', what: 'Hairdressers: the tip', percent: 20 },
  { from: '7512', to: '7512', what: 'Car rental', percent: 15 },
]

/** Returns the rule for a merchant category, if any. */
export function overClaimRule(mcc: string | undefined): OverClaimRule | undefined {
  return mcc === undefined ? undefined : OVER_CLAIM_RULES.find(({ from, to }) => from <= mcc && mcc <= to)
}
