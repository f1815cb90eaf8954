import type { CurrencyAmount } from '@countersign/contract/core/currencies'
import type { Static } from 'typebox'
import { figures } from './money-format.ts'

export type Amount = Static<typeof CurrencyAmount>

/** An amount with its currency, whose figures stand below each other in a column. */
export function Money({ of, sign }: { readonly of: Amount | undefined; readonly sign?: '+' | '−' }) {
  if (!of) return <span className="soft">–</span>
  const { code, decimals } = of.currency
  return (
    <span className="figures">
      {sign}
      {figures({ amount: of.amount, decimals: decimals ?? 0 })} <span className="soft">{code}</span>
    </span>
  )
}

/** An amount as text, for labels. */
export function moneyText(of: Amount | undefined): string {
  if (!of) return ''
  return `${figures({ amount: of.amount, decimals: of.currency.decimals ?? 0 })} ${of.currency.code}`
}
