import type { Rail } from '../../kernel/ports/rail.ts'
import type { RailStatementEntryRow } from '../../storage/rows/reconciliation.ts'

/** 100 %, in millionths of a percent. */
const PERCENT = 100_000_000n

/**
 * The expected bank charges for a statement's payments and pulls according to the rails file, in the smallest
 * unit, each rounded up. Undefined if the file states no costs in this currency.
 */
export function computeExpectedCosts(
  rail: Rail | undefined,
  currency: string,
  entries: readonly Pick<RailStatementEntryRow, 'kind' | 'amount'>[],
): bigint | undefined {
  const cost = rail?.entry?.costs?.find((candidate) => candidate.currency === currency)
  if (!cost) return undefined
  const share = BigInt(Math.round((cost.percent ?? 0) * 1_000_000))
  return entries
    .filter(({ kind }) => kind === 'PAYMENT' || kind === 'PULL')
    .reduce(
      (sum, { amount }) => sum + (cost.fixed ?? 0n) + shareRoundedUp(amount < 0n ? -amount : amount, share),
      0n,
    )
}

function shareRoundedUp(amount: bigint, share: bigint): bigint {
  return (amount * share + PERCENT - 1n) / PERCENT
}
