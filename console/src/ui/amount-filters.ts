import { CURRENCIES } from '@countersign/contract/core/currencies'
import { keysOf, wordOf } from '@countersign/contract/core/objects'
import type { Filter } from './filters.tsx'
import { smallestUnits } from './money-format.ts'

export const CURRENCY_CODES = keysOf(CURRENCIES)

/** The filters of an amount: its currency, and bounds that appear once a currency is chosen. */
export const AMOUNT_FILTERS: readonly Filter[] = [
  { name: 'currency', label: 'Currency', choices: CURRENCY_CODES, labelOf: (code) => code },
  { name: 'least', label: 'Amount from', isAmount: true },
  { name: 'most', label: 'Amount to', isAmount: true },
]

/** The filters without bounds of the amount that lack a currency. */
export function withoutLooseBounds(
  filters: readonly Filter[],
  search: { readonly currency?: string | undefined },
): readonly Filter[] {
  return filters.filter(({ isAmount = false }) => !isAmount || search.currency !== undefined)
}

/** The currency and the bounds of the amount as the API takes them. Bounds without a currency are not applied. */
export function amountsOf(search: {
  readonly currency?: string | undefined
  readonly least?: string | undefined
  readonly most?: string | undefined
}) {
  const currency = wordOf(CURRENCY_CODES, search.currency)
  if (currency === undefined) return {}
  const { decimals } = CURRENCIES[currency]
  const units = (text: string | undefined) => (text === undefined ? undefined : smallestUnits(text, decimals))
  return { currency, amountMin: units(search.least), amountMax: units(search.most) }
}
