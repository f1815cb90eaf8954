import type { CurrencyAmount } from '@countersign/contract/core/currencies'
import type { Static } from 'typebox'
import { figures } from './money-format.ts'

export type Amount = Static<typeof CurrencyAmount>

/** An amount with its currency. Its digits are aligned in table columns. */
export function Money({ of: amount, sign }: { readonly of: Amount | undefined; readonly sign?: '+' | '−' }) {
  if (!amount) return <span className="soft">–</span>
  const { code, decimals } = amount.currency
  return (
    <span className="figures">
      {sign}
      {figures({ amount: amount.amount, decimals: decimals ?? 0 })} <span className="soft">{code}</span>
    </span>
  )
}

/** Formats an amount as plain text, for labels. */
export function moneyText(of: Amount | undefined): string {
  if (!of) return ''
  return `${figures({ amount: of.amount, decimals: of.currency.decimals ?? 0 })} ${of.currency.code}`
}
