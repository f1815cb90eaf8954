import type { CurrencyAmount } from '@countersign/contract/core/currencies'
import type { Static } from 'typebox'
import { formatFigures } from './money-format.ts'

export type Amount = Static<typeof CurrencyAmount>

/** An amount with its currency. Its digits are aligned in table columns. */
export function Money({ amount, sign }: { readonly amount: Amount | undefined; readonly sign?: '+' | '−' }) {
  if (!amount) return <span className="soft">–</span>
  const { code, decimals } = amount.currency
  return (
    <span className="figures">
      {sign}
      {formatFigures({ amount: amount.amount, decimals: decimals ?? 0 })} <span className="soft">{code}</span>
    </span>
  )
}

/** Formats an amount as plain text, for labels. */
export function formatMoney(amount: Amount | undefined): string {
  if (!amount) return ''
  return `${formatFigures({ amount: amount.amount, decimals: amount.currency.decimals ?? 0 })} ${amount.currency.code}`
}
