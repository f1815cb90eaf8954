import { CURRENCIES, isKnownCurrency } from '@countersign/contract/core/currencies'

/** Returns a currency's decimals, or 0 if the currency is unknown. */
export function getDecimals(code: string): number {
  return isKnownCurrency(code) ? CURRENCIES[code].decimals : 0
}
