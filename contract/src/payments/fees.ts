import { Type } from 'typebox'
import { CurrencyAmount } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { Id } from '../core/ids.ts'
import { Page, pageQuery, Timestamp } from '../core/schema.ts'

/** A fee charged for a payment, refunded with a returned payment, or withdrawn by the operator. */
export const Fee = Type.Object({
  id: Id('LedgerTransfer', 'The ledger transfer that contains the fee'),
  amount: CurrencyAmount,
  quoteId: Type.Optional(Id('Quote', 'Absent for a withdrawal and a transfer out')),
  transactionId: Id('Transaction', 'The payment'),
  customerId: Type.Optional(
    Id('Customer', "The customer who paid. Absent if the money was the platform's own"),
  ),
  createdAt: Timestamp(),
})

/** A platform's total fees in one currency. */
export const FeeBalance = Type.Object({ balance: CurrencyAmount })

/** Fees exist only in the ledger. The operator withdraws them with POST /platform/withdrawals. */
export const platform_fee_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/platform/fees',
  tag: 'Fees',
  summary: 'List fees',
  description:
    'Lists the fees that the platform has earned, by payment: one entry for each fee charged, once its ' +
    'payment was delivered, one negative entry for each fee refunded because the payment was returned, ' +
    'and one for each withdrawal of fees. The entries of a currency sum to its balance.',
  query: Type.Object({
    currency: Type.Optional(CurrencyCode),
    startDate: Type.Optional(Timestamp('Created at or after')),
    endDate: Type.Optional(Timestamp('Created at or before')),
    ...pageQuery,
    sortOrder: Type.Optional(
      Type.Unsafe<'asc' | 'desc'>({ type: 'string', enum: ['asc', 'desc'], default: 'desc' }),
    ),
  }),
  responses: { 200: Page(Fee) },
  errors: ['INVALID_INPUT'],
})

export const platform_fee_balance_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/platform/fee-balances',
  tag: 'Fees',
  summary: 'List fee balances',
  description:
    'Shows the fees that the platform has earned, with one entry per currency in which a fee was ever ' +
    'charged: all fees, less refunded and withdrawn ones. Pay them out with POST /platform/withdrawals.',
  query: Type.Object({ currency: Type.Optional(CurrencyCode) }),
  responses: { 200: Type.Object({ data: Type.Array(FeeBalance) }) },
  errors: ['INVALID_INPUT'],
})

export const fees = { platform_fee_list, platform_fee_balance_list }
