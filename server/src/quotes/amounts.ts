import type { KnownCurrency } from '@countersign/contract/core/currencies'
import { INT64_MAX } from '../json/int64.ts'
import type { Op } from '../op/app.ts'
import { ApiError, fieldError } from '../op/operation.ts'
import { checkCurrencyLimits, platformConfig } from '../platforms/platforms.ts'
import { networkFeeRoundedUp } from '../pricing/network-fees.ts'
import { type Price, price } from '../pricing/pricing.ts'
import type { RateTable } from '../pricing/ratios.ts'
import type { Parties, QuoteBody } from './parties.ts'
import { type QuoteRails, railsOfQuote } from './rails.ts'

const FIELD = 'lockedCurrencyAmount'

type Ends = Pick<Parties, 'payer' | 'payee'>

interface Amounts {
  readonly rates: RateTable
  readonly found: Price
  readonly railed: QuoteRails
}

/**
 * The price of a quote and the rails that carry it. The fees include what chains charge for carrying it, in the sending currency and
 * never below. Errors: 400 `INVALID_AMOUNT` where the fees leave nothing, 400 `AMOUNT_OUT_OF_RANGE`, 501 `NOT_IMPLEMENTED` where
 * there is no rate or no rail, 503 `UNAVAILABLE` where rates or the fees of a chain cannot be read now.
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
    const cost = await networkCost(op, rates, ends, railed.kept)
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
 * What chains charge for the transfers of a quote, in its sending currency. Beside the payment, a wallet on a chain makes another
 * one: that collects its money, or, where the wallet pays straight, carries the fee.
 */
async function networkCost(op: Op, rates: RateTable, ends: Ends, kept: QuoteRails['kept']): Promise<bigint> {
  const [sending, receiving] = [ends.payer.currency, ends.payee.currency]
  const costs = await Promise.all([
    transferCost(op, rates, sending, kept.railOut, receiving),
    transferCost(op, rates, sending, kept.wallet?.rail, sending),
  ])
  return costs.reduce((sum, one) => sum + one, 0n)
}

async function transferCost(
  op: Op,
  rates: RateTable,
  sending: KnownCurrency,
  railName: string | undefined,
  currency: KnownCurrency,
): Promise<bigint> {
  const chain = railName === undefined ? undefined : op.rails.find(railName)?.chain
  if (!chain) return 0n
  const fee = await chain.transferFee(currency, 1)
  const cost = networkFeeRoundedUp(rates, sending, fee)
  if (cost === undefined)
    throw new ApiError('NOT_IMPLEMENTED', {
      message: `This server has no rate of ${fee.asset} or ${sending}.`,
    })
  return cost
}
