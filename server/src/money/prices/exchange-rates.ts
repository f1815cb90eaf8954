import { ACCOUNT_TYPES, accountType, isAccountType } from '@countersign/contract/accounts/account-types'
import {
  CURRENCIES,
  isKnownCurrency,
  type KnownCurrency,
  toCurrencyRecord,
} from '@countersign/contract/core/currencies'
import { buildTable, keysOf } from '@countersign/contract/core/objects'
import type { PaymentRailName } from '@countersign/contract/core/rails'
import { LOCKED_AMOUNT_MAX } from '@countersign/contract/payments/exchange-rates'
import { INT64_MAX } from '../../base/json/int64.ts'
import { exchangeRate, type Price, totalFees } from '../../base/pricing/pricing.ts'
import { createFieldError } from '../../kernel/operation/operation.ts'
import { findCurrencyConfig, type PlatformConfig } from '../../people/platforms/platform-config.ts'
import { getWalletCurrencies } from '../../people/platforms/wallet-network.ts'

/** The rails that can carry each currency; empty for a currency that only wallets hold. */
export const RAILS_BY_CURRENCY: Readonly<Record<KnownCurrency, readonly PaymentRailName[]>> =
  listRailsByCurrency()

function listRailsByCurrency() {
  const types = Object.keys(ACCOUNT_TYPES).filter(isAccountType).map(accountType)
  // An account type without fields appears only in payment instructions and is never paid out to.
  const payable = types.filter(({ fields }) => fields !== undefined)
  return buildTable(keysOf(CURRENCIES), (currency) => {
    const reaching = payable.filter(({ currencies }) => currencies.includes(currency))
    return [...new Set(reaching.flatMap(({ rails }) => rails))]
  })
}

/** A platform's limits for sending one currency. Amounts are in its smallest unit. */
export interface Source {
  readonly currency: KnownCurrency
  readonly minAmount: bigint
  readonly maxAmount: bigint
}

/**
 * The currencies that the platform can send: those enabled in its settings, and its wallets' currencies. A
 * requested currency need not have settings, because real-time funding can pay a quote in any currency; it
 * then has no limits.
 */
export function listSources(config: PlatformConfig, requested?: KnownCurrency): Source[] {
  const supported = config.supportedCurrencies.map(({ currencyCode }) => currencyCode)
  const codes = [...supported, ...getWalletCurrencies(config)]
  const currencies = requested ? [requested] : [...new Set(codes)].filter(isKnownCurrency)
  return currencies.flatMap((currency) => {
    const limits = findCurrencyConfig(config, currency)
    if (!limits) return [{ currency, minAmount: 1n, maxAmount: BigInt(LOCKED_AMOUNT_MAX) }]
    const { enabledTransactionTypes, minAmount, maxAmount } = limits
    return enabledTransactionTypes.includes('OUTGOING') ? [{ currency, minAmount, maxAmount }] : []
  })
}

/**
 * One entry per rail that reaches the destination. Throws 400 `AMOUNT_OUT_OF_RANGE` if a result exceeds
 * int64.
 */
export function exchangeRateViews(source: Source, destination: KnownCurrency, price: Price, updatedAt: Date) {
  if (price.receivingAmount > INT64_MAX)
    throw createFieldError(
      'AMOUNT_OUT_OF_RANGE',
      'sendingAmount',
      `The amount is too large to convert from ${source.currency} to ${destination}.`,
    )
  return RAILS_BY_CURRENCY[destination].map((destinationPaymentRail) => ({
    sourceCurrency: toCurrencyRecord(source.currency),
    sendingAmount: price.sendingAmount,
    minSendingAmount: source.minAmount,
    maxSendingAmount: source.maxAmount,
    destinationCurrency: toCurrencyRecord(destination),
    destinationPaymentRail,
    receivingAmount: price.receivingAmount,
    exchangeRate: exchangeRate(price),
    fees: { fixed: price.fixedFee, total: totalFees(price) },
    updatedAt: updatedAt.toISOString(),
  }))
}
