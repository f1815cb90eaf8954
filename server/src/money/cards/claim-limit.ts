import { overClaimRule } from '@countersign/contract/cards/over-claims'
import { CURRENCIES, isKnownCurrency } from '@countersign/contract/core/currencies'
import { INT64_MAX } from '../../base/json/int64.ts'

export interface AuthorizedUse {
  /** In the smallest unit of `currency`. */
  readonly amount: bigint
  readonly currency: string
  readonly merchant: { readonly mcc?: string }
}

/**
 * The maximum that a merchant may claim for a purchase, in the smallest unit of its currency: the authorized
 * amount plus the excess allowed for the merchant's category, or plus `percent` if the category has no rule.
 */
export function claimMax({ amount, currency, merchant }: AuthorizedUse, percent: number): bigint {
  const rule = overClaimRule(merchant.mcc)
  const byPercent = amount + percentRoundedDown(amount, rule?.percent ?? percent)
  const byAmount = BigInt(rule?.units ?? 0) * 10n ** BigInt(getDecimalPlaces(currency))
  const limit = max(byPercent, byAmount)
  return limit < INT64_MAX ? limit : INT64_MAX
}

/** The part of a claim that may be pulled. The part above the maximum becomes an exception. */
export function limitToClaimMax(
  { claim_max, settled_amount }: { readonly claim_max: bigint; readonly settled_amount: bigint },
  amount: bigint,
): bigint {
  const unclaimed = max(claim_max - settled_amount, 0n)
  return amount < unclaimed ? amount : unclaimed
}

/**
 * Converts an amount from the smallest unit of the card's currency to the smallest unit of a source that pays
 * it one to one. Never rounds.
 */
export function toSourceUnits(amount: bigint, currency: string, source: string): bigint {
  const places = getDecimalPlaces(source) - getDecimalPlaces(currency)
  if (places < 0) throw new Error(`${currency} has smaller units than ${source}`)
  return amount * 10n ** BigInt(places)
}

function getDecimalPlaces(currency: string): number {
  if (!isKnownCurrency(currency)) throw new Error(`Unknown card currency ${currency}`)
  return CURRENCIES[currency].decimals
}

function percentRoundedDown(amount: bigint, percent: number): bigint {
  return (amount * BigInt(percent)) / 100n
}

function max(left: bigint, right: bigint): bigint {
  return left > right ? left : right
}
