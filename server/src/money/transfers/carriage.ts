import { isKnownCurrency } from '@countersign/contract/core/currencies'
import { amountText, type OwnRateDetails, ownRateDetails } from '../../base/pricing/pricing.ts'
import type { RateTable } from '../../base/pricing/ratios.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { Rail, RouteRequest } from '../../kernel/ports/rail.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'
import { chooseRail } from '../rails/choose-rail.ts'
import { networkCost } from '../rails/network-cost.ts'

/** An outgoing transfer's rail and its cost. */
export interface Carriage {
  readonly rail: Rail
  /** The fee of its chain; 0 for every other rail. */
  readonly fees: bigint
  /** Undefined if the server has no rates. */
  readonly ownRates: OwnRateDetails | undefined
}

/**
 * The rail that carries an amount less the fees of its chain, and these fees. Errors: 400 `INVALID_AMOUNT` naming `amount` if they leave
 * nothing, and the errors of `chooseRail` and `networkCost`.
 */
export async function carriageOf(
  op: Op,
  { currency }: InternalAccountRow,
  wanted: Omit<RouteRequest, 'direction' | 'amount'>,
  amount: bigint,
): Promise<Carriage> {
  const rates = await op.rates?.snapshot()
  // The rail depends on the amount that it carries, and the amount on the cost of the rail.
  for (let fees = 0n; ; ) {
    const rail = await chooseRail(op, { ...wanted, direction: 'OUT', amount: amount - fees }, 'amount')
    const cost = await costOn(rates, rail, currency)
    if (cost <= fees) {
      const own = rates && isKnownCurrency(currency) ? ownRateDetails(rates, currency) : undefined
      return { rail, fees, ownRates: own && fees > 0n ? { ...own, svcApiFixedFee: fees } : own }
    }
    if (cost >= amount) throw leavesNothing(cost, currency)
    fees = cost
  }
}

async function costOn(rates: RateTable | undefined, rail: Rail, currency: string): Promise<bigint> {
  if (!rail.chain || !isKnownCurrency(currency)) return 0n
  if (!rates) throw new ApiError('NOT_IMPLEMENTED', { message: 'This server has no exchange rates.' })
  return networkCost(rates, currency, rail, currency)
}

function leavesNothing(fees: bigint, currency: string): ApiError {
  if (!isKnownCurrency(currency)) throw new Error(`An account in ${currency}`)
  return new ApiError('INVALID_AMOUNT', {
    message: `The fee of the network, ${amountText(fees, currency)}, leaves nothing of amount.`,
    details: { field: 'amount', totalFee: fees, currency },
  })
}
