import type {
  PayoutBatch as PayoutBatchSchema,
  PayoutLine as PayoutLineSchema,
} from '@countersign/contract/payments/payout-batches'
import type { Static } from 'typebox'
import { type Amount, moneyText } from '../../ui/money.tsx'

export type PayoutBatch = Static<typeof PayoutBatchSchema>
export type PayoutLine = Static<typeof PayoutLineSchema>

/** The amounts that a batch pays, by currency. */
export function sumsOf({ totals }: PayoutBatch): readonly Amount[] {
  const sums = new Map<string, Amount>()
  for (const { total } of totals) {
    const before = sums.get(total.currency.code)
    sums.set(total.currency.code, before ? { ...before, amount: before.amount + total.amount } : total)
  }
  return [...sums.values()]
}

export function sumsInWords(batch: PayoutBatch): string {
  return sumsOf(batch).map(moneyText).join(' and ')
}
