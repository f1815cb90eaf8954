import type { AccountTypeName } from '@countersign/contract/accounts/account-types'
import type { BodyOf, SuccessOf } from '@countersign/contract/core/endpoint'
import type { crypto_withdrawal_fee_estimate } from '@countersign/contract/payments/withdrawal-fees'
import { requireValue } from '../../base/formats/require-value.ts'
import { type NetworkFee, networkFeeRoundedUp } from '../../base/pricing/network-fees.ts'
import { formatCurrencyAmount, price, totalFees } from '../../base/pricing/pricing.ts'
import type { RateTable } from '../../base/pricing/ratios.ts'
import { findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { listFundingTypes, toNetwork } from '../../kernel/accounts/funding.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'
import { isValidIdentifier } from '../external-accounts/account-details.ts'

type Body = BodyOf<typeof crypto_withdrawal_fee_estimate>
type Estimate = SuccessOf<typeof crypto_withdrawal_fee_estimate>['body']

/**
 * The current cost of a withdrawal. Throws 400 naming the field, 404 `ACCOUNT_NOT_FOUND`, 501
 * `NOT_IMPLEMENTED` if the server has no rates or no rail knows the network's fees, 503 `UNAVAILABLE` if the
 * network's fees cannot be read at the moment.
 */
export async function estimateWithdrawal(op: Op, body: Body): Promise<Estimate> {
  const account = await findCryptoAccount(op, body)
  const type = findNetworkType(account, body.cryptoNetwork)
  const { amount, destinationAddress } = body
  if (!isValidIdentifier(type, destinationAddress, op.mode))
    throw createFieldError(
      'INVALID_INPUT',
      'destinationAddress',
      `destinationAddress must be an address on ${toNetwork(type)}`,
    )
  if (!op.rates)
    throw new ApiError('NOT_IMPLEMENTED', {
      message: 'This server has no exchange rates, so it cannot estimate fees.',
    })
  const fee = await estimateNetworkFee(op, account, type, body)
  const rates = await op.rates.snapshot()
  return sumFees(op, account, amount, fee, rates)
}

/**
 * Estimates the network fee. A chain rail knows its fees; other networks exist only in the sandbox and have
 * fixed fees.
 */
async function estimateNetworkFee(
  op: Op,
  { currency, chain_rail }: InternalAccountRow,
  accountType: AccountTypeName,
  { amount, destinationAddress }: Body,
): Promise<NetworkFee> {
  const request = { direction: 'OUT', accountType, paymentRail: null, currency, amount } as const
  const rail = await op.rails.route(op.platform.id, request)
  // A withdrawal from a wallet takes two transfers, both signed with the wallet's key: the payment and the
  // fee.
  if (rail?.chain) return rail.chain.transferFee(currency, chain_rail === null ? 1 : 2)
  const network = requireValue(toNetwork(accountType), 'network of a wallet')
  if (!op.networkFees)
    throw new ApiError('NOT_IMPLEMENTED', { message: `No rail on this server knows the fees of ${network}.` })
  return op.networkFees.estimate({ network, currency, amount, destinationAddress })
}

async function findCryptoAccount(op: Op, { internalAccountId, currency }: Body): Promise<InternalAccountRow> {
  const account = await findInternalAccount(op, internalAccountId, 'internalAccountId')
  if (account.type === 'INTERNAL_FIAT')
    throw createFieldError(
      'INVALID_INPUT',
      'internalAccountId',
      'internalAccountId must be an account that holds a stablecoin',
    )
  if (account.currency !== currency)
    throw createFieldError('INVALID_CURRENCY', 'currency', `This account holds ${account.currency}.`)
  return account
}

/**
 * The type of external account for a wallet on this network. Throws 400 if the network does not carry the
 * currency.
 */
function findNetworkType({ currency }: InternalAccountRow, network: string): AccountTypeName {
  const [type] = listFundingTypes(currency, network)
  if (type) return type
  const networks = listFundingTypes(currency).map(toNetwork).join(', ')
  throw createFieldError(
    'INVALID_INPUT',
    'cryptoNetwork',
    `${currency} is available on these networks: ${networks || 'none'}.`,
  )
}

/**
 * Adds up the fees in the account's currency. Throws 400 `INVALID_AMOUNT` if they leave nothing of the
 * amount.
 */
function sumFees(
  op: Op,
  { currency }: InternalAccountRow,
  amount: bigint,
  fee: NetworkFee,
  rates: RateTable,
): Estimate {
  const applicationPrice = price(rates, op.fees, currency, currency, 'SENDING', amount)
  const convertedFee = networkFeeRoundedUp(rates, currency, fee)
  if (convertedFee === undefined)
    throw new ApiError('NOT_IMPLEMENTED', {
      message: `This server has no exchange rate for ${fee.asset} or ${currency}.`,
    })
  const applicationFee = applicationPrice ? totalFees(applicationPrice) : amount
  const totalFee = applicationFee + convertedFee
  if (totalFee >= amount)
    throw new ApiError('INVALID_AMOUNT', {
      message: `The fees of ${formatCurrencyAmount(totalFee, currency)} leave nothing to send. Increase amount.`,
      details: { field: 'amount', totalFee, currency },
    })
  return {
    networkFee: fee.amount,
    networkFeeAsset: fee.asset,
    applicationFee,
    totalFee,
    netAmount: amount - totalFee,
  }
}
