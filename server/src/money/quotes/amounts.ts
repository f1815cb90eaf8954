import type { KnownCurrency } from '@countersign/contract/core/currencies'
import { INT64_MAX } from '../../base/json/int64.ts'
import { type Price, price } from '../../base/pricing/pricing.ts'
import type { RateTable } from '../../base/pricing/ratios.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, fieldError } from '../../kernel/operation/operation.ts'
import { checkCurrencyLimits, platformConfig } from '../../people/platforms/platform-config.ts'
import { networkCost } from '../rails/network-cost.ts'
import type { Parties, QuoteBody } from './parties.ts'
import { chooseQuoteRails, type QuoteRails } from './quote-rails.ts'

const FIELD = 'lockedCurrencyAmount'

type Ends = Pick<Parties, 'payer' | 'payee'>

interface Amounts {
  readonly rates: RateTable
  readonly found: Price
  readonly routed: QuoteRails
}

/**
 * Prices a quote and chooses its rails. The fees include the chain fees of its transfers, converted to the
 * sending currency and rounded up. Throws 400 `INVALID_AMOUNT` if the fees leave nothing, 400
 * `AMOUNT_OUT_OF_RANGE`, 501 `NOT_IMPLEMENTED` if there is no rate or rail, 503 `UNAVAILABLE` if rates or
 * chain fees cannot be read at the moment.
 */
export async function priceQuoteAmounts(
  op: Op,
  quoteId: string,
  body: QuoteBody,
  ends: Ends,
  paymentRail: string | null,
): Promise<Amounts> {
  if (!op.rates) throw new ApiError('NOT_IMPLEMENTED', { message: 'This server has no exchange rates.' })
  const [sending, receiving] = [ends.payer.currency, ends.payee.currency]
  const { lockedCurrencySide: side, lockedCurrencyAmount: amount } = body
  const rates = await op.rates.snapshot()
  // The rails depend on the amounts, and the amounts on the fees of the rails. Each round raises the network
  // fee to the cost of the rails just chosen.
  for (let networkFee = 0n; ; ) {
    const found = price(rates, op.fees, sending, receiving, side, amount, networkFee)
    if (!found) throw fieldError('INVALID_AMOUNT', FIELD, 'The amount is too small for this payment.')
    checkAmounts(op, sending, found)
    const routed = await chooseQuoteRails(op, quoteId, ends, found, paymentRail)
    const cost = await estimateChainFees(op, rates, ends, routed.kept)
    if (cost <= networkFee) return { rates, found, routed }
    networkFee = cost
  }
}

function checkAmounts(op: Op, sending: KnownCurrency, found: Price): void {
  if (found.sendingAmount > INT64_MAX || found.receivingAmount > INT64_MAX)
    throw fieldError('AMOUNT_OUT_OF_RANGE', FIELD, 'The amount is too large for this payment.')
  checkCurrencyLimits(platformConfig(op), 'OUTGOING', sending, found.sendingAmount, FIELD)
}

/**
 * The chain fees of a quote's transfers, in its sending currency. A chain wallet makes a second transfer in
 * addition to the payment: it either collects the money or, if the wallet pays directly, carries the fee.
 */
async function estimateChainFees(
  op: Op,
  rates: RateTable,
  ends: Ends,
  kept: QuoteRails['kept'],
): Promise<bigint> {
  const [sending, receiving] = [ends.payer.currency, ends.payee.currency]
  const railOf = (name: string | undefined) => (name === undefined ? undefined : op.rails.find(name))
  const costs = await Promise.all([
    networkCost(rates, sending, railOf(kept.railOut), receiving),
    networkCost(rates, sending, railOf(kept.wallet?.rail), sending),
  ])
  return costs.reduce((sum, one) => sum + one, 0n)
}
