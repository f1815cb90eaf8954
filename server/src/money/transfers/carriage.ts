import { isKnownCurrency } from '@countersign/contract/core/currencies'
import { formatCurrencyAmount, type OwnRateDetails, ownRateDetails } from '../../base/pricing/pricing.ts'
import type { RateTable } from '../../base/pricing/ratios.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { Rail, RouteRequest } from '../../kernel/ports/rail.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'
import { chooseRail } from '../rails/choose-rail.ts'
import { computeNetworkCost } from '../rails/network-cost.ts'

/** The rail of an outgoing transfer, and its fees. */
export interface RouteWithFees {
  readonly rail: Rail
  /** The fee of the rail's chain; 0 for rails without a chain. */
  readonly fees: bigint
  /** Undefined if the server has no exchange rates. */
  readonly ownRates: OwnRateDetails | undefined
}

/**
 * Chooses the rail for an amount less its chain fee, and computes the fee. Throws 400 `INVALID_AMOUNT` naming
 * `amount` if the fee leaves nothing, and the errors of `chooseRail` and `computeNetworkCost`.
 */
export async function chooseRailWithFees(
  op: Op,
  { currency }: InternalAccountRow,
  request: Omit<RouteRequest, 'direction' | 'amount'>,
  amount: bigint,
): Promise<RouteWithFees> {
  const rates = await op.rates?.snapshot()
  // The rail depends on the amount that it carries, and the amount depends on the rail's fee.
  for (let fees = 0n; ; ) {
    const rail = await chooseRail(op, { ...request, direction: 'OUT', amount: amount - fees }, 'amount')
    const cost = await computeChainFee(rates, rail, currency)
    if (cost <= fees) {
      const own = rates && isKnownCurrency(currency) ? ownRateDetails(rates, currency) : undefined
      return { rail, fees, ownRates: own && fees > 0n ? { ...own, svcApiFixedFee: fees } : own }
    }
    if (cost >= amount) throw createNothingLeftError(cost, currency)
    fees = cost
  }
}

async function computeChainFee(rates: RateTable | undefined, rail: Rail, currency: string): Promise<bigint> {
  if (!rail.chain || !isKnownCurrency(currency)) return 0n
  if (!rates)
    throw new ApiError('NOT_IMPLEMENTED', {
      message: 'This server has no exchange rates, so it cannot compute the network fee.',
    })
  return computeNetworkCost(rates, currency, rail, currency)
}

function createNothingLeftError(fees: bigint, currency: string): ApiError {
  if (!isKnownCurrency(currency)) throw new Error(`Unknown account currency ${currency}`)
  return new ApiError('INVALID_AMOUNT', {
    message: `The network fee of ${formatCurrencyAmount(fees, currency)} leaves nothing to send. Increase amount.`,
    details: { field: 'amount', totalFee: fees, currency },
  })
}
