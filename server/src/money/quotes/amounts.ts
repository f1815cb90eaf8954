import type { KnownCurrency } from '@countersign/contract/core/currencies'
import { INT64_MAX } from '../../base/json/int64.ts'
import { type Price, price } from '../../base/pricing/pricing.ts'
import type { RateTable } from '../../base/pricing/ratios.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { checkCurrencyLimits, getPlatformConfig } from '../../people/platforms/platform-config.ts'
import { computeNetworkCost } from '../rails/network-cost.ts'
import type { Parties, QuoteBody } from './parties.ts'
import { chooseQuoteRails, type QuoteRails } from './quote-rails.ts'

const FIELD = 'lockedCurrencyAmount'

type PayerAndPayee = Pick<Parties, 'payer' | 'payee'>

interface QuoteAmounts {
  readonly rates: RateTable
  readonly quotedPrice: Price
  readonly quoteRails: QuoteRails
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
  parties: PayerAndPayee,
  paymentRail: string | null,
): Promise<QuoteAmounts> {
  if (!op.rates)
    throw new ApiError('NOT_IMPLEMENTED', {
      message: 'This server has no exchange rates, so it cannot create quotes.',
    })
  const [sending, receiving] = [parties.payer.currency, parties.payee.currency]
  const { lockedCurrencySide: side, lockedCurrencyAmount: amount } = body
  const rates = await op.rates.snapshot()
  // The rails depend on the amounts, and the amounts depend on the rails' fees. Each round raises the network
  // fee to the cost of the rails just chosen.
  for (let networkFee = 0n; ; ) {
    const quotedPrice = price(rates, op.fees, sending, receiving, side, amount, networkFee)
    if (!quotedPrice)
      throw createFieldError(
        'INVALID_AMOUNT',
        FIELD,
        'The amount is too small: the fees would leave nothing to pay.',
      )
    checkAmounts(op, sending, quotedPrice)
    const quoteRails = await chooseQuoteRails(op, quoteId, parties, quotedPrice, paymentRail)
    const cost = await estimateChainFees(op, rates, parties, quoteRails.storedRoute)
    if (cost <= networkFee) return { rates, quotedPrice, quoteRails }
    networkFee = cost
  }
}

function checkAmounts(op: Op, sending: KnownCurrency, quotedPrice: Price): void {
  if (quotedPrice.sendingAmount > INT64_MAX || quotedPrice.receivingAmount > INT64_MAX)
    throw createFieldError('AMOUNT_OUT_OF_RANGE', FIELD, 'The amount is too large for this payment.')
  checkCurrencyLimits(getPlatformConfig(op), 'OUTGOING', sending, quotedPrice.sendingAmount, FIELD)
}

/**
 * The chain fees of a quote's transfers, in its sending currency. A chain wallet makes a second transfer: it
 * collects the money or, if the wallet pays the payee directly, pays the fee.
 */
async function estimateChainFees(
  op: Op,
  rates: RateTable,
  parties: PayerAndPayee,
  storedRoute: QuoteRails['storedRoute'],
): Promise<bigint> {
  const [sending, receiving] = [parties.payer.currency, parties.payee.currency]
  const findRail = (name: string | undefined) => (name === undefined ? undefined : op.rails.find(name))
  const costs = await Promise.all([
    computeNetworkCost(rates, sending, findRail(storedRoute.railOut), receiving),
    computeNetworkCost(rates, sending, findRail(storedRoute.wallet?.rail), sending),
  ])
  return costs.reduce((sum, cost) => sum + cost, 0n)
}
