import { CURRENCIES } from '@countersign/contract/core/currencies'
import { findWord, keysOf } from '@countersign/contract/core/objects'
import type { Filter } from './filters.tsx'
import { parseSmallestUnits } from './money-format.ts'

export const CURRENCY_CODES = keysOf(CURRENCIES)

/** Filters for amounts: a currency, and bounds that appear once a currency has been chosen. */
export const AMOUNT_FILTERS: readonly Filter[] = [
  { name: 'currency', label: 'Currency', choices: CURRENCY_CODES, formatLabel: (code) => code },
  { name: 'least', label: 'Amount from', isAmount: true },
  { name: 'most', label: 'Amount to', isAmount: true },
]

/** Removes amount bounds if no currency has been chosen. */
export function omitUnusableBounds(
  filters: readonly Filter[],
  search: { readonly currency?: string | undefined },
): readonly Filter[] {
  return filters.filter(({ isAmount = false }) => !isAmount || search.currency !== undefined)
}

/** Converts the currency and amount bounds to the API's format. Bounds without a currency are ignored. */
export function toAmountFilters(search: {
  readonly currency?: string | undefined
  readonly least?: string | undefined
  readonly most?: string | undefined
}) {
  const currency = findWord(CURRENCY_CODES, search.currency)
  if (currency === undefined) return {}
  const { decimals } = CURRENCIES[currency]
  const toUnits = (text: string | undefined) =>
    text === undefined ? undefined : parseSmallestUnits(text, decimals)
  return { currency, amountMin: toUnits(search.least), amountMax: toUnits(search.most) }
}
