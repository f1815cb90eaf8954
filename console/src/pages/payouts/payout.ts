import type {
  PayoutBatch as PayoutBatchSchema,
  PayoutLine as PayoutLineSchema,
} from '@countersign/contract/payments/payout-batches'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
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

/** Executes a batch with the totals that it shows: the server refuses others. */
export async function executeBatch(batch: PayoutBatch): Promise<PayoutBatch> {
  const { id, progress, sameFileAs } = batch
  return countersign.payoutBatches.execute(id, {
    totals: sumsOf(batch).map(({ amount, currency }) => ({ currency: currency.code, amount })),
    ...(progress.faulty > 0 ? { skipFaulty: true } : {}),
    ...(sameFileAs === undefined ? {} : { payAgain: true }),
  })
}

export function describeSums(batch: PayoutBatch): string {
  return sumsOf(batch).map(moneyText).join(' and ')
}
