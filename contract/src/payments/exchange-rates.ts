import { Type } from 'typebox'
import { Currency } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { fileOfList } from '../core/list-file.ts'
import { PaymentRail } from '../core/rails.ts'
import { Int64, Timestamp } from '../core/schema.ts'

/** Maximum amount that a quote can lock, in the smallest unit of its currency. */
export const LOCKED_AMOUNT_MAX = 9_000_000_000_000_000

export const SENDING_AMOUNT_DEFAULT = 10_000

/** The cost of a payment, in the smallest unit of the sending currency. */
export const ExchangeRateFees = Type.Object({
  fixed: Int64({
    minimum: 0,
    description: 'The fixed fee, plus the remainder that is too small to buy a whole receiving unit',
  }),
  total: Int64({ minimum: 0, description: 'The fixed plus the variable fee' }),
})

/**
 * The amount in another currency that an amount would buy through one rail, as a quote would price it now.
 */
export const ExchangeRate = Type.Object({
  sourceCurrency: Currency,
  sendingAmount: Int64({
    minimum: 0,
    description: 'In the smallest unit of the source currency, including fees',
  }),
  minSendingAmount: Int64({ minimum: 0, description: 'Minimum amount of one payment' }),
  maxSendingAmount: Int64({ minimum: 0, description: 'Maximum amount of one payment' }),
  destinationCurrency: Currency,
  destinationPaymentRail: PaymentRail,
  receivingAmount: Int64({
    minimum: 0,
    description: 'In the smallest unit of the destination currency; 0 if the amount buys nothing after fees',
  }),
  exchangeRate: Type.Number({
    exclusiveMinimum: 0,
    description:
      'Smallest units of the source currency per smallest unit of the destination currency, without fees',
  }),
  fees: ExchangeRateFees,
  updatedAt: Timestamp('The time at which these rates were calculated'),
})

/** Rates and fees without a quote. They are valid until the next rate table, for about five minutes. */
export const exchange_rate_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  customerToken: true,
  method: 'GET',
  path: '/exchange-rates',
  tag: 'Exchange rates',
  summary: 'List exchange rates',
  description:
    'Lists the current cost of conversions, including fees, with one entry per source currency, ' +
    'destination currency and payment rail. Without sourceCurrency, the sources are the configured ' +
    'currencies that allow outgoing payments, and the currency of the wallets. The destinations are the ' +
    'currencies that a rail reaches. Rates are at most about five minutes old. Only a quote locks a rate.',
  query: Type.Object({
    sourceCurrency: Type.Optional(CurrencyCode),
    destinationCurrency: Type.Optional(
      Type.Array(CurrencyCode, { maxItems: 50, description: 'Repeat the parameter for each currency' }),
    ),
    sendingAmount: Type.Optional(
      Type.Unsafe<bigint>({
        ...Int64({
          minimum: 0,
          maximum: LOCKED_AMOUNT_MAX,
          description: 'In the smallest unit of the source currency, including fees',
        }),
        default: SENDING_AMOUNT_DEFAULT,
      }),
    ),
  }),
  responses: { 200: Type.Object({ data: Type.Array(ExchangeRate) }) },
  errors: ['INVALID_INPUT', 'INVALID_CURRENCY', 'AMOUNT_OUT_OF_RANGE', 'NOT_IMPLEMENTED'],
})

export const exchange_rate_csv = fileOfList(exchange_rate_list, 'exchange rates')

export const exchangeRates = { exchange_rate_list, exchange_rate_csv }
