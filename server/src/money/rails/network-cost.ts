import type { KnownCurrency } from '@countersign/contract/core/currencies'
import { networkFeeRoundedUp } from '../../base/pricing/network-fees.ts'
import type { RateTable } from '../../base/pricing/ratios.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { Rail } from '../../kernel/ports/rail.ts'

/**
 * The fee of a rail's chain for one transfer of `currency`, in the payer's currency, rounded up; 0 for every
 * other rail. Errors: 501 `NOT_IMPLEMENTED` without a rate, 503 `UNAVAILABLE` if the fees of the chain cannot
 * be read now.
 */
export async function networkCost(
  rates: RateTable,
  payerCurrency: KnownCurrency,
  rail: Rail | undefined,
  currency: KnownCurrency,
): Promise<bigint> {
  if (!rail?.chain) return 0n
  const fee = await rail.chain.transferFee(currency, 1)
  const cost = networkFeeRoundedUp(rates, payerCurrency, fee)
  if (cost === undefined)
    throw new ApiError('NOT_IMPLEMENTED', {
      message: `This server has no rate of ${fee.asset} or ${payerCurrency}.`,
    })
  return cost
}
