import { accountType } from '@countersign/contract/account-types'
import { isKnownCurrency, type KnownCurrency } from '@countersign/contract/currencies'
import type { BodyOf } from '@countersign/contract/endpoint'
import type { quote_create } from '@countersign/contract/quotes'
import { isInstantRail } from '@countersign/contract/rails'
import { findCustomerAccount, findInternalAccount } from '../accounts/accounts.ts'
import { fundingTypesOf } from '../accounts/funding.ts'
import type { Op } from '../app.ts'
import { findCustomer } from '../customers/customers.ts'
import type { CustomerRow, ExternalAccountRow, InternalAccountRow } from '../db/tables.ts'
import { checkRail, findExternalAccount, railsOf } from '../external-accounts/external-accounts.ts'
import { ApiError, fieldError } from '../operation.ts'
import type { Counterparty } from '../uma/counterparty.ts'
import { resolveUma } from '../uma/uma.ts'

export type QuoteBody = BodyOf<typeof quote_create>

/** Where the money of a quote comes from: an account here, or a payment that is to be made for it. */
export type Payer =
  | { readonly kind: 'account'; readonly account: InternalAccountRow; readonly currency: KnownCurrency }
  | { readonly kind: 'funding'; readonly currency: KnownCurrency; readonly network: string | null }

/** Where it goes: an account elsewhere, an account here, or whoever receives at an UMA address elsewhere. */
export type Payee =
  | { readonly kind: 'external'; readonly account: ExternalAccountRow; readonly currency: KnownCurrency }
  | {
      readonly kind: 'internal'
      readonly account: InternalAccountRow
      readonly currency: KnownCurrency
      readonly umaAddress?: string
      readonly counterparty?: Counterparty
    }
  | {
      readonly kind: 'uma'
      readonly umaAddress: string
      readonly currency: KnownCurrency
      readonly counterparty: Counterparty
    }

export interface Parties {
  /** On whose behalf. */
  readonly customer: CustomerRow
  readonly payer: Payer
  readonly payee: Payee
}

/** Who pays whom. What belongs to another customer is as if it were not there. */
export async function findParties(op: Op, { source, destination }: QuoteBody): Promise<Parties> {
  if (source.sourceType === 'ACCOUNT') {
    const account = await findInternalAccount(op, source.accountId, 'source.accountId')
    const customer = await payingCustomer(op, account, source.customerId)
    const payee = await findPayee(op, destination, customer, account.customer_id === null)
    if (payee.kind === 'internal' && payee.account.id === account.id)
      throw fieldError('SELF_PAYMENT', 'destination', 'The source and the destination are the same account')
    const payer = { kind: 'account', account, currency: account.currency as KnownCurrency } as const
    return { customer, payer, payee }
  }
  const { currency, cryptoNetwork, customerId } = source
  if (!isKnownCurrency(currency))
    throw fieldError('INVALID_CURRENCY', 'source.currency', `There is no rate for ${currency}`)
  if (fundingTypesOf(currency, cryptoNetwork).length === 0)
    throw fieldError(
      'INVALID_INPUT',
      'source.cryptoNetwork',
      `${currency} is not paid in on ${cryptoNetwork}`,
    )
  const named = customerId ? await approvedCustomer(op, customerId) : undefined
  const payee = await findPayee(op, destination, named, false)
  const customer = named ?? (await approvedCustomer(op, ownerOf(payee)))
  return { customer, payer: { kind: 'funding', currency, network: cryptoNetwork ?? null }, payee }
}

/** The account's own customer, or the one on whose behalf an account of the platform pays (specification 2.5). */
async function payingCustomer(
  op: Op,
  account: InternalAccountRow,
  customerId: string | undefined,
): Promise<CustomerRow> {
  const id = account.customer_id ?? customerId
  if (!id)
    throw fieldError(
      'INVALID_INPUT',
      'source.customerId',
      'source.customerId is required with an account of the platform',
    )
  if (customerId && customerId !== id)
    throw fieldError('INVALID_INPUT', 'source.customerId', 'source.accountId belongs to another customer')
  return approvedCustomer(op, id)
}

async function approvedCustomer(op: Op, id: string): Promise<CustomerRow> {
  const customer = await findCustomer(op, id, 'source.customerId')
  if (customer.verification_status !== 'APPROVED') throw new ApiError('USER_NOT_READY')
  return customer
}

/** Money that is paid in for an account is its owner's; for anyone else's it has to be said whose it is. */
function ownerOf(payee: Payee): string {
  const owner = payee.kind === 'uma' ? null : payee.account.customer_id
  if (owner === null)
    throw fieldError(
      'INVALID_INPUT',
      'source.customerId',
      'source.customerId is required: the destination does not say whose payment this is',
    )
  return owner
}

/**
 * `customer` undefined: any customer's account will do, and says whose payment it is. `isPlatforms`: the platform pays
 * from an account of its own, so it may pay accounts of its own as well.
 */
async function findPayee(
  op: Op,
  destination: QuoteBody['destination'],
  customer: CustomerRow | undefined,
  isPlatforms: boolean,
): Promise<Payee> {
  if (destination.destinationType === 'UMA_ADDRESS') return findUmaPayee(op, destination)
  const { accountId, currency, paymentRail } = destination
  if (accountId.startsWith('InternalAccount:')) {
    const account = await findInternalAccount(op, accountId, 'destination.accountId')
    if (account.customer_id !== null) await findCustomer(op, account.customer_id, 'destination.accountId')
    checkCurrency(currency, account.currency)
    if (paymentRail)
      throw fieldError('INVALID_INPUT', 'destination.paymentRail', 'An account here is paid without a rail')
    return { kind: 'internal', account, currency: account.currency as KnownCurrency }
  }
  const account = await findExternalAccount(op, accountId, 'destination.accountId')
  const isAllowed = account.customer_id === null ? isPlatforms : isOwn(account, customer)
  if (!isAllowed) throw new ApiError('ACCOUNT_NOT_FOUND', { details: { field: 'destination.accountId' } })
  checkCurrency(currency, account.currency)
  if (!isKnownCurrency(account.currency))
    throw fieldError('INVALID_CURRENCY', 'destination.accountId', `There is no rate for ${account.currency}`)
  checkRail(account, paymentRail, 'destination.paymentRail')
  return { kind: 'external', account, currency: account.currency }
}

function isOwn(account: ExternalAccountRow, customer: CustomerRow | undefined): boolean {
  return customer === undefined || account.customer_id === customer.id
}

async function findUmaPayee(
  op: Op,
  { umaAddress, currency }: Extract<QuoteBody['destination'], { destinationType: 'UMA_ADDRESS' }>,
): Promise<Payee> {
  const receiver = await resolveUma(op, umaAddress, 'destination.umaAddress')
  const receiving = (currency ?? receiver.currencies[0]) as KnownCurrency
  if (!receiver.currencies.includes(receiving))
    throw fieldError(
      'INVALID_CURRENCY',
      'destination.currency',
      `This address receives ${receiver.currencies.join(', ')}`,
    )
  const account = receiver.customerId && (await findCustomerAccount(op, receiver.customerId, receiving))
  const at = { umaAddress: receiver.address, currency: receiving, counterparty: receiver.counterparty }
  return account ? { kind: 'internal', account, ...at } : { kind: 'uma', ...at }
}

function checkCurrency(asked: string | undefined, actual: string): void {
  if (asked && asked !== actual)
    throw fieldError('INVALID_CURRENCY', 'destination.currency', `This account receives ${actual}`)
}

const INSTANT_SECONDS = 5 * 60
const OTHER_SECONDS = 15 * 60

/**
 * How long a rate is held: five minutes where all of it is instant, else fifteen (specification 2.5). Without a rail
 * named, the slowest of the account's decides; so it does for a payment that is to come in.
 */
export function validitySeconds(payer: Payer, payee: Payee, rail: string | undefined): number {
  const [funding] = payer.kind === 'funding' ? fundingTypesOf(payer.currency, payer.network ?? undefined) : []
  const payout = rail ? [rail] : payee.kind === 'external' ? railsOf(payee.account) : []
  const rails = [...(funding ? accountType(funding).rails : []), ...payout]
  return rails.every(isInstantRail) ? INSTANT_SECONDS : OTHER_SECONDS
}
