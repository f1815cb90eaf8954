import { type KnownCurrency, toCurrencyRecord } from '@countersign/contract/core/currencies'
import { LOCKED_AMOUNT_MAX } from '@countersign/contract/payments/exchange-rates'
import { exchangeRate, price } from '../../base/pricing/pricing.ts'
import type { RateTable } from '../../base/pricing/ratios.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { findCustomer } from '../../people/customers/customers.ts'
import { getPlatformConfig } from '../../people/platforms/platform-config.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import { listSources, type Source } from '../prices/exchange-rates.ts'
import { findCustomerAtUma, readUmaAddress } from './uma.ts'

/** The sender, as identified in the query. */
export interface Sender {
  readonly customerId?: string
  readonly senderUmaAddress?: string
}

/**
 * The sending customer, if the lookup names one. Throws 400 `INVALID_UMA_ADDRESS`, 404 `UMA_NOT_FOUND` and
 * `USER_NOT_FOUND`, 410 `CUSTOMER_DELETED`, and 400 naming `customerId` if id and address identify different
 * customers.
 */
export async function findSender(
  op: Op,
  { customerId, senderUmaAddress }: Sender,
): Promise<CustomerRow | undefined> {
  const field = 'senderUmaAddress'
  const address = senderUmaAddress === undefined ? undefined : readUmaAddress(senderUmaAddress, field)
  const namedCustomer = customerId === undefined ? undefined : await findCustomer(op, customerId)
  if (address === undefined) return namedCustomer
  const customerAtAddress = await findCustomerAtUma(op, address, field)
  if (namedCustomer && namedCustomer.id !== customerAtAddress.id)
    throw createFieldError(
      'INVALID_INPUT',
      'customerId',
      'customerId and senderUmaAddress identify different customers',
    )
  return customerAtAddress
}

/**
 * The currencies in which this platform can pay a receiver. The sending currency is the sender's first
 * currency that the platform can send, or else the platform's first. Omits currencies that no payment can
 * deliver; throws 501 `NOT_IMPLEMENTED` without exchange rates.
 */
export async function listCurrencyPreferences(
  op: Op,
  sender: CustomerRow | undefined,
  currencies: readonly KnownCurrency[],
) {
  if (!op.rates)
    throw new ApiError('NOT_IMPLEMENTED', {
      message: 'This server has no exchange rates, so it cannot price payments.',
    })
  const sources = listSources(getPlatformConfig(op))
  const preferred = sender?.currencies?.find((code) => sources.some(({ currency }) => currency === code))
  const source = sources.find(({ currency }) => currency === preferred) ?? sources[0]
  if (!source) return []
  const rates = await op.rates.snapshot()
  return currencies.flatMap((currency) => buildPreference(op, rates, source, currency) ?? [])
}

function buildPreference(op: Op, rates: RateTable, source: Source, receiving: KnownCurrency) {
  const priceSending = (sendingAmount: bigint) =>
    price(rates, op.fees, source.currency, receiving, 'SENDING', sendingAmount)
  const largest = priceSending(source.maxAmount)
  if (!largest) return undefined
  const lockable = BigInt(LOCKED_AMOUNT_MAX)
  const max = largest.receivingAmount < lockable ? largest.receivingAmount : lockable
  // One unit more than the largest amount that a payment just below the minimum buys.
  const min = (priceSending(source.minAmount - 1n)?.receivingAmount ?? 0n) + 1n
  if (min > max) return undefined
  return {
    currency: toCurrencyRecord(receiving),
    sendingCurrency: toCurrencyRecord(source.currency),
    estimatedExchangeRate: exchangeRate(largest),
    min,
    max,
  }
}
