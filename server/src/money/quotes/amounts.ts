import type { KnownCurrency } from '@countersign/contract/core/currencies'
import { INT64_MAX } from '../../base/json/int64.ts'
import { type Price, price } from '../../base/pricing/pricing.ts'
import type { RateTable } from '../../base/pricing/ratios.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, fieldError } from '../../kernel/operation/operation.ts'
import { checkCurrencyLimits, platformConfig } from '../../people/platforms/platform-config.ts'
import { networkCost } from '../rails/network-cost.ts'
import type { Parties, QuoteBody } from './parties.ts'
import { type QuoteRails, railsOfQuote } from './quote-rails.ts'

const FIELD = 'lockedCurrencyAmount'

type Ends = Pick<Parties, 'payer' | 'payee'>

interface Amounts {
  readonly rates: RateTable
  readonly found: Price
  readonly railed: QuoteRails
}

/**
 * The price of a quote and the rails that carry it. The fees include what chains charge for carrying it, in the sending currency and
 * never below. Errors: 400 `INVALID_AMOUNT` if the fees leave nothing, 400 `AMOUNT_OUT_OF_RANGE`, 501 `NOT_IMPLEMENTED` if
 * no rate or rail exists, 503 `UNAVAILABLE` if rates or the fees of a chain cannot be read now.
 */
export async function amountsOf(
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
  // The rails depend on the amounts, and the amounts on what the rails cost. Each round raises the fee to the cost of a rail.
  for (let networkFee = 0n; ; ) {
    const found = price(rates, op.fees, sending, receiving, side, amount, networkFee)
    if (!found) throw fieldError('INVALID_AMOUNT', FIELD, 'The amount is too small for this payment.')
    checkAmounts(op, sending, found)
    const railed = await railsOfQuote(op, quoteId, ends, found, paymentRail)
    const cost = await costOfTransfers(op, rates, ends, railed.kept)
    if (cost <= networkFee) return { rates, found, railed }
    networkFee = cost
  }
}

function checkAmounts(op: Op, sending: KnownCurrency, found: Price): void {
  if (found.sendingAmount > INT64_MAX || found.receivingAmount > INT64_MAX)
    throw fieldError('AMOUNT_OUT_OF_RANGE', FIELD, 'The amount is too large for this payment.')
  checkCurrencyLimits(platformConfig(op), 'OUTGOING', sending, found.sendingAmount, FIELD)
}

/**
 * Chain fees for the transfers of a quote, in its sending currency. Next to the payment, a wallet on a chain
 * makes another transfer: it collects the money, or, if the wallet pays directly, carries the fee.
 */
async function costOfTransfers(
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
