import { currencyRecord, type KnownCurrency } from '@countersign/contract/core/currencies'
import { LOCKED_AMOUNT_MAX } from '@countersign/contract/payments/exchange-rates'
import { exchangeRate, price } from '../../base/pricing/pricing.ts'
import type { RateTable } from '../../base/pricing/ratios.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, fieldError } from '../../kernel/operation/operation.ts'
import { findCustomer } from '../../people/customers/customers.ts'
import { platformConfig } from '../../people/platforms/platform-config.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import { type Source, sourcesOf } from '../prices/exchange-rates.ts'
import { findCustomerAtUma, readUmaAddress } from './uma.ts'

/** The sender, as a lookup may name it. */
export interface Sender {
  readonly customerId?: string
  readonly senderUmaAddress?: string
}

/**
 * The sending customer, if the lookup names one. Errors: 400 `INVALID_UMA_ADDRESS`, 404 `UMA_NOT_FOUND` and
 * `USER_NOT_FOUND`, 410 `CUSTOMER_DELETED`, and 400 naming `customerId` if the two are not the same customer.
 */
export async function findSender(
  op: Op,
  { customerId, senderUmaAddress }: Sender,
): Promise<CustomerRow | undefined> {
  const field = 'senderUmaAddress'
  const address = senderUmaAddress === undefined ? undefined : readUmaAddress(senderUmaAddress, field)
  const named = customerId === undefined ? undefined : await findCustomer(op, customerId)
  if (address === undefined) return named
  const addressed = await findCustomerAtUma(op, address, field)
  if (named && named.id !== addressed.id)
    throw fieldError('INVALID_INPUT', 'customerId', 'customerId is not the customer of senderUmaAddress')
  return addressed
}

/**
 * The currencies in which this platform can pay a receiver, for one sending currency: the sender's first one
 * that the platform pays from, else the first that it pays from. A currency that no payment can deliver is
 * left out. Error: 501 `NOT_IMPLEMENTED` without rates.
 */
export async function currencyPreferences(
  op: Op,
  sender: CustomerRow | undefined,
  currencies: readonly KnownCurrency[],
) {
  if (!op.rates) throw new ApiError('NOT_IMPLEMENTED', { message: 'This server has no exchange rates.' })
  const sources = sourcesOf(platformConfig(op))
  const preferred = sender?.currencies?.find((code) => sources.some(({ currency }) => currency === code))
  const source = sources.find(({ currency }) => currency === preferred) ?? sources[0]
  if (!source) return []
  const rates = await op.rates.snapshot()
  return currencies.flatMap((currency) => preference(op, rates, source, currency) ?? [])
}

function preference(op: Op, rates: RateTable, source: Source, receiving: KnownCurrency) {
  const priceFor = (sendingAmount: bigint) =>
    price(rates, op.fees, source.currency, receiving, 'SENDING', sendingAmount)
  const most = priceFor(source.maxAmount)
  if (!most) return undefined
  const lockable = BigInt(LOCKED_AMOUNT_MAX)
  const max = most.receivingAmount < lockable ? most.receivingAmount : lockable
  // One unit more than the largest amount that a payment below the minimum buys.
  const min = (priceFor(source.minAmount - 1n)?.receivingAmount ?? 0n) + 1n
  if (min > max) return undefined
  return {
    currency: currencyRecord(receiving),
    sendingCurrency: currencyRecord(source.currency),
    estimatedExchangeRate: exchangeRate(most),
    min,
    max,
  }
}
