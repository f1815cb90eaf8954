import type { KnownCurrency } from '@countersign/contract/core/currencies'
import { networkFeeRoundedUp } from '../../base/pricing/network-fees.ts'
import type { RateTable } from '../../base/pricing/ratios.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { Rail } from '../../kernel/ports/rail.ts'

/**
 * The fee that a rail's chain charges for one transfer of `currency`, converted to the payer's currency and
 * rounded up; 0 for rails without a chain. Throws 501 `NOT_IMPLEMENTED` without a rate, 503 `UNAVAILABLE` if
 * the chain's fees cannot be read at the moment.
 */
export async function computeNetworkCost(
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
      message: `This server has no exchange rate for ${fee.asset} or ${payerCurrency}.`,
    })
  return cost
}
