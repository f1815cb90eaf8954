import { CURRENCIES, isKnownCurrency, type KnownCurrency } from '@countersign/contract/core/currencies'
import { type exchangeRates, SENDING_AMOUNT_DEFAULT } from '@countersign/contract/payments/exchange-rates'
import { priceSendingAmount } from '../../base/pricing/pricing.ts'
import { ApiError, createFieldError, type Handlers } from '../../kernel/operation/operation.ts'
import { getPlatformConfig } from '../../people/platforms/platform-config.ts'
import { exchangeRateViews, listSources, RAILS_BY_CURRENCY } from './exchange-rates.ts'

export const exchangeRateHandlers: Handlers<typeof exchangeRates> = {
  exchange_rate_list: async (op, { query }) => {
    const { sourceCurrency, destinationCurrency, sendingAmount = BigInt(SENDING_AMOUNT_DEFAULT) } = query
    const requested =
      sourceCurrency === undefined ? undefined : requireKnownCurrency(sourceCurrency, 'sourceCurrency')
    const destinations = destinationCurrency
      ? [
          ...new Set(
            destinationCurrency.map((code, index) =>
              requireKnownCurrency(code, `destinationCurrency.${index}`),
            ),
          ),
        ]
      : Object.keys(CURRENCIES).filter(isKnownCurrency)
    if (!op.rates) throw new ApiError('NOT_IMPLEMENTED', { message: 'This server has no exchange rates.' })
    const rates = await op.rates.snapshot()
    // The time of the rates, shifted from real time to the platform's clock.
    const updatedAt = new Date(rates.updatedAt.getTime() + Number(op.platform.clock_offset_ms))
    const reachable = destinations.filter((currency) => RAILS_BY_CURRENCY[currency].length > 0)
    const data = listSources(getPlatformConfig(op), requested).flatMap((source) =>
      reachable.flatMap((destination) => {
        const price = priceSendingAmount(rates, op.fees, source.currency, destination, sendingAmount)
        return price ? exchangeRateViews(source, destination, price, updatedAt) : []
      }),
    )
    return { status: 200, body: { data } }
  },
}

/** Narrows a code to a known currency. Throws 400 `INVALID_CURRENCY`. */
function requireKnownCurrency(code: string, field: string): KnownCurrency {
  if (!isKnownCurrency(code))
    throw createFieldError('INVALID_CURRENCY', field, `This server does not support the currency ${code}.`)
  return code
}
