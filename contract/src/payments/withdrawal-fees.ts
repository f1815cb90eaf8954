import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { Id } from '../core/ids.ts'
import { Int64, Opaque, Text } from '../core/schema.ts'

export const EstimateCryptoWithdrawalFeeRequest = Type.Object({
  internalAccountId: Id('InternalAccount', 'An INTERNAL_CRYPTO account or an EMBEDDED_WALLET'),
  currency: CurrencyCode,
  cryptoNetwork: Text(64, {
    description: 'SPARK, LIGHTNING, SOLANA, TRON, POLYGON, BASE or ETHEREUM, if it carries the currency',
  }),
  amount: Int64({
    exclusiveMinimum: 0,
    description: 'The amount that leaves the account, in the smallest unit',
  }),
  destinationAddress: Opaque(4096, {
    description: 'An address on that network; for LIGHTNING also an invoice, an offer or name@host',
  }),
})

export const CryptoWithdrawalFeeEstimate = Type.Object({
  networkFee: Int64({ minimum: 0, description: 'In the smallest unit of networkFeeAsset' }),
  networkFeeAsset: Type.String({
    description: 'The asset in which the network charges: ETH, SOL, TRX, POL or BTC',
  }),
  applicationFee: Int64({ minimum: 0, description: "In the smallest unit of the account's currency" }),
  totalFee: Int64({
    minimum: 0,
    description:
      "applicationFee plus the network fee at the current rate, rounded up, in the smallest unit of the account's currency",
  }),
  netAmount: Int64({ exclusiveMinimum: 0, description: 'amount less totalFee' }),
})

/** Neither reserves money nor locks a rate. The account's balance is not checked. */
export const crypto_withdrawal_fee_estimate = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'POST',
  path: '/crypto/estimate-withdrawal-fee',
  tag: 'Cross-Currency Transfers',
  changesNothing: true,
  summary: 'Estimate the fee of a withdrawal to a chain',
  description:
    'Estimates the current network fee of a chain for a withdrawal. Nothing is reserved: the network fee ' +
    'and the rate may change.',
  body: EstimateCryptoWithdrawalFeeRequest,
  responses: { 200: CryptoWithdrawalFeeEstimate },
  errors: ['INVALID_INPUT', 'INVALID_CURRENCY', 'INVALID_AMOUNT', 'ACCOUNT_NOT_FOUND', 'NOT_IMPLEMENTED'],
})

export const withdrawalFees = { crypto_withdrawal_fee_estimate }
