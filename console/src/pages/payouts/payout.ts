import type {
  PayoutBatch as PayoutBatchSchema,
  PayoutLine as PayoutLineSchema,
} from '@countersign/contract/payments/payout-batches'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { type Amount, formatMoney } from '../../ui/money.tsx'

export type PayoutBatch = Static<typeof PayoutBatchSchema>
export type PayoutLine = Static<typeof PayoutLineSchema>

/** Sums the amounts that a batch pays, by currency. */
export function sumTotals({ totals }: PayoutBatch): readonly Amount[] {
  const sums = new Map<string, Amount>()
  for (const { total } of totals) {
    const before = sums.get(total.currency.code)
    sums.set(total.currency.code, before ? { ...before, amount: before.amount + total.amount } : total)
  }
  return [...sums.values()]
}

/** Executes a batch with the totals shown on the page. The server rejects any other totals. */
export async function executeBatch(batch: PayoutBatch): Promise<PayoutBatch> {
  const { id, progress, sameFileAs } = batch
  return countersign.payoutBatches.execute(id, {
    totals: sumTotals(batch).map(({ amount, currency }) => ({ currency: currency.code, amount })),
    ...(progress.faulty > 0 ? { skipFaulty: true } : {}),
    ...(sameFileAs === undefined ? {} : { payAgain: true }),
  })
}

export function describeTotals(batch: PayoutBatch): string {
  return sumTotals(batch).map(formatMoney).join(' and ')
}
