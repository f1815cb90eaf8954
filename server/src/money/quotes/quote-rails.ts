import type { KnownCurrency } from '@countersign/contract/core/currencies'
import { present } from '@countersign/contract/core/objects'
import type { Price } from '../../base/pricing/pricing.ts'
import { listFundingTypes } from '../../kernel/accounts/funding.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { StoredQuoteRequest } from '../../storage/rows/stored-documents.ts'
import { checkPayee, checkPayment, chooseRail } from '../rails/choose-rail.ts'
import { findDebitMandate } from '../rails/collections.ts'
import { findPool } from '../rails/deposit-accounts.ts'
import { findChainAddress, requireOpenChain } from './chain-transfers.ts'
import type { Parties, Payee, Payer } from './parties.ts'

const FIELD = 'lockedCurrencyAmount'

/** The fields that errors name. A quote has no field for remittance information. */
const FIELDS = {
  OUT: { account: 'destination.accountId', amount: FIELD, remittanceInformation: FIELD },
  PULL: { account: 'source.accountId', amount: FIELD, remittanceInformation: FIELD },
} as const

/** The rail data stored with a quote, and writes that belong to it. */
export interface QuoteRails {
  readonly storedRoute: Pick<
    StoredQuoteRequest,
    'railOut' | 'railIn' | 'mandateId' | 'paidInTo' | 'wallet' | 'payTo'
  >
  readonly writes: readonly Write[]
}

/**
 * Chooses a quote's rails: the rail of its payment, the rail of its pull or funding (on a chain, the quote
 * gets its own address), and the chain wallets that pay or are paid. Throws 501 `NOT_IMPLEMENTED` if no rail
 * serves the payment, 400 `AMOUNT_OUT_OF_RANGE` if no rail accepts the amount.
 */
export async function chooseQuoteRails(
  op: Op,
  quoteId: string,
  { payer, payee }: Pick<Parties, 'payer' | 'payee'>,
  { sendingAmount, receivingAmount }: Price,
  paymentRail: string | null,
): Promise<QuoteRails> {
  const [payoutRoute, { writes = [], ...fundingRoute }] = await Promise.all([
    routePayment(op, payee, receivingAmount, paymentRail),
    routeFunding(op, quoteId, payer, sendingAmount),
  ])
  const wallet = payer.kind === 'account' ? findChainAddress(payer.account) : undefined
  if (!wallet) return { storedRoute: present({ ...payoutRoute, ...fundingRoute }), writes }
  const directRoute = findDirectRail(op, wallet, payer.currency, payee)
  const collectionRoute = directRoute ? {} : { railIn: wallet.rail }
  return { storedRoute: present({ ...payoutRoute, ...directRoute, ...collectionRoute, wallet }), writes }
}

async function routePayment(op: Op, payee: Payee, amount: bigint, paymentRail: string | null) {
  if (payee.kind === 'internal') {
    const chainAddress = findChainAddress(payee.account)
    if (!chainAddress) return {}
    requireOpenChain(op, chainAddress.rail)
    return { railOut: chainAddress.rail, payTo: chainAddress.address }
  }
  if (payee.kind === 'uma') {
    // Only the sandbox can pay UMA addresses on other platforms.
    if (op.rails.find(null)) return {}
    throw new ApiError('NOT_IMPLEMENTED', {
      message: 'No rail on this server can pay UMA addresses on other platforms.',
    })
  }
  const { account_type: accountType, currency } = payee.account
  const request = { direction: 'OUT', accountType, paymentRail, currency, amount } as const
  const rail = await chooseRail(op, request, FIELD)
  const { account_info: account } = payee.account
  await checkPayee(op, rail, account, 'destination.accountId')
  checkPayment(rail, { ...request, account, remittanceInformation: null }, FIELDS.OUT)
  return { railOut: rail.name ?? undefined }
}

/**
 * The wallet's rail if the wallet can pay the payee directly: the payee must be on the same chain and receive
 * the same currency.
 */
function findDirectRail(
  op: Op,
  { rail }: NonNullable<StoredQuoteRequest['wallet']>,
  currency: KnownCurrency,
  payee: Payee,
): { readonly railOut: string } | undefined {
  const { network } = requireOpenChain(op, rail)
  if (payee.kind === 'uma' || payee.currency !== currency) return undefined
  const isOnChain =
    payee.kind === 'internal'
      ? payee.account.chain_rail === rail
      : payee.account.account_type === `${network}_WALLET`
  return isOnChain ? { railOut: rail } : undefined
}

type FundingRoute = Pick<StoredQuoteRequest, 'railIn' | 'mandateId' | 'paidInTo'> &
  Partial<Pick<QuoteRails, 'writes'>>

async function routeFunding(op: Op, quoteId: string, payer: Payer, amount: bigint): Promise<FundingRoute> {
  if (payer.kind === 'account') return {}
  const { currency } = payer
  if (payer.kind === 'pull') {
    const { account_type: accountType } = payer.account
    const request = { direction: 'PULL', accountType, paymentRail: payer.rail, currency, amount } as const
    const rail = await chooseRail(op, request, FIELD)
    const { account_info: account } = payer.account
    const debitMandate = await findDebitMandate(op, rail, payer.account)
    const pull = { ...request, account, mandate: debitMandate?.mandate, remittanceInformation: null }
    checkPayment(rail, pull, FIELDS.PULL)
    return present({ railIn: rail.name, mandateId: debitMandate?.mandateId })
  }
  const [accountType] = listFundingTypes(currency, payer.network ?? undefined)
  if (!accountType) throw new Error(`No account type can receive ${currency}`)
  const request = { direction: 'IN', accountType, paymentRail: null, currency, amount } as const
  const rail = await chooseRail(op, request, FIELD)
  if (rail.name === null) return {}
  if (rail.chain) {
    const { address, writes } = rail.chain.newAddress(op, quoteId)
    const paidInTo = { accountType, address, assetType: currency } as StoredQuoteRequest['paidInTo'] & object
    return { railIn: rail.name, paidInTo, writes }
  }
  const pool = await findPool(op, rail.name, currency)
  if (!pool?.account_info)
    throw new ApiError('NOT_IMPLEMENTED', {
      message: `The rail ${rail.name} has not opened an account to receive ${currency} yet. Try again in a few minutes.`,
    })
  return { railIn: rail.name, paidInTo: pool.account_info }
}
