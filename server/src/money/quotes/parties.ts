import { accountType } from '@countersign/contract/accounts/account-types'
import { isKnownCurrency, type KnownCurrency } from '@countersign/contract/core/currencies'
import type { BodyOf } from '@countersign/contract/core/endpoint'
import { isInstantRail } from '@countersign/contract/core/rails'
import type { quote_create } from '@countersign/contract/payments/quotes'
import { findCustomerAccount, findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { listFundingTypes } from '../../kernel/accounts/funding.ts'
import type { RequiredSenderField } from '../../kernel/magic-values/uma-receivers.ts'
import { getOwnCustomerId, type Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { findCustomer } from '../../people/customers/customers.ts'
import { getPlatformConfig } from '../../people/platforms/platform-config.ts'
import type { Counterparty } from '../../storage/rows/stored-documents.ts'
import type { CustomerRow, ExternalAccountRow, InternalAccountRow } from '../../storage/rows/tables.ts'
import { checkUsable } from '../external-accounts/account-changes.ts'
import {
  checkRail,
  findExternalAccount,
  findPullRail,
  listRails,
} from '../external-accounts/external-accounts.ts'
import { checkQuotes, resolveUma } from '../uma/uma.ts'

export type QuoteBody = BodyOf<typeof quote_create>

/**
 * The source of a quote's money: an internal account, an external account to pull from, or a payment that
 * will arrive later.
 */
export type Payer =
  | { readonly kind: 'account'; readonly account: InternalAccountRow; readonly currency: KnownCurrency }
  | {
      readonly kind: 'pull'
      readonly account: ExternalAccountRow
      readonly currency: KnownCurrency
      readonly rail: string
    }
  | { readonly kind: 'funding'; readonly currency: KnownCurrency; readonly network: string | null }

/**
 * The destination of a quote's money: an external account, an internal account, or a receiver at an UMA
 * address on another platform.
 */
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
      /** The information about the payer that the receiver requires. */
      readonly requiredFields: readonly RequiredSenderField[]
    }

export interface Parties {
  /** The customer on whose behalf the payment is made; null if the platform pays for itself. */
  readonly customer: CustomerRow | null
  readonly payer: Payer
  readonly payee: Payee
}

/** Finds payer and payee. Treats records of other customers as missing. */
export async function findParties(op: Op, { source, destination }: QuoteBody): Promise<Parties> {
  if (source.sourceType === 'REALTIME_FUNDING') return findFundedParties(op, source, destination)
  const payer = await findPayer(op, source.accountId)
  const owner = payer.account.customer_id
  if (payer.kind === 'account') checkNamesCustomer(op, owner, source.customerId)
  const customer = await findPayingCustomer(op, owner, source.customerId)
  // The platform may pay anyone with its own money. On behalf of a customer, only that customer's external
  // accounts may be paid.
  const isPayable = (other: string | null) =>
    other === (customer?.id ?? null) || (owner === null && (customer === null || other === null))
  const payee = await findPayee(op, destination, isPayable)
  if (payee.kind !== 'uma' && payee.account.id === payer.account.id)
    throw createFieldError(
      'SELF_PAYMENT',
      'destination',
      'The source and the destination are the same account.',
    )
  return { customer, payer, payee }
}

type FundingSource = Extract<QuoteBody['source'], { sourceType: 'REALTIME_FUNDING' }>

async function findFundedParties(
  op: Op,
  { currency, cryptoNetwork, customerId }: FundingSource,
  destination: QuoteBody['destination'],
): Promise<Parties> {
  if (!isKnownCurrency(currency)) throw createNoRateError('source.currency', currency)
  if (listFundingTypes(currency, cryptoNetwork).length === 0)
    throw createFieldError(
      'INVALID_INPUT',
      'source.cryptoNetwork',
      `${currency} cannot be received on ${cryptoNetwork}.`,
    )
  const payerId = customerId ?? getOwnCustomerId(op)
  const namedCustomer = payerId ? await requireApprovedCustomer(op, payerId) : undefined
  const payee = await findPayee(op, destination, (owner) => !namedCustomer || owner === namedCustomer.id)
  const owner = findPayeeOwner(payee)
  const customer = namedCustomer ?? (owner === null ? null : await requireApprovedCustomer(op, owner))
  return { customer, payer: { kind: 'funding', currency, network: cryptoNetwork ?? null }, payee }
}

type PayingAccount = Exclude<Payer, { kind: 'funding' }>

async function findPayer(op: Op, accountId: string): Promise<PayingAccount> {
  const field = 'source.accountId'
  if (accountId.startsWith('InternalAccount:')) {
    const account = await findInternalAccount(op, accountId, field)
    return { kind: 'account', account, currency: account.currency }
  }
  const account = await findExternalAccount(op, accountId, field)
  if (op.actor.kind === 'customer')
    throw createFieldError(
      'FORBIDDEN',
      field,
      "A customer token cannot pull money from an external account, because the account may not belong to the customer. Use the platform's credentials.",
    )
  await checkUsable(op, account, field)
  const rail = findPullRail(account)
  if (rail === undefined)
    throw createFieldError(
      'INVALID_INPUT',
      field,
      'No rail can pull money from this account. Use REALTIME_FUNDING instead.',
    )
  if (!isKnownCurrency(account.currency)) throw createNoRateError(field, account.currency)
  return { kind: 'pull', account, currency: account.currency, rail }
}

/** Throws 400 if an omnibus account of the platform would pay without a customer (specification 2.5). */
function checkNamesCustomer(op: Op, owner: string | null, customerId: string | undefined): void {
  if (owner === null && customerId === undefined && getPlatformConfig(op).omnibusAccounts)
    throw createFieldError(
      'INVALID_INPUT',
      'source.customerId',
      "source.customerId is required, because source.accountId is an omnibus account that holds customers' money. Set it to the customer on whose behalf you pay.",
    )
}

/**
 * The customer who owns the account, or the customer on whose behalf a platform account pays (specification
 * 2.5); null if the platform pays for itself.
 */
async function findPayingCustomer(
  op: Op,
  owner: string | null,
  customerId: string | undefined,
): Promise<CustomerRow | null> {
  const id = owner ?? customerId
  if (id === undefined) return null
  if (customerId && customerId !== id)
    throw createFieldError(
      'INVALID_INPUT',
      'source.customerId',
      'source.accountId belongs to another customer',
    )
  return requireApprovedCustomer(op, id)
}

async function requireApprovedCustomer(op: Op, id: string): Promise<CustomerRow> {
  const customer = await findCustomer(op, id, 'source.customerId')
  if (customer.verification_status !== 'APPROVED') throw new ApiError('USER_NOT_READY')
  return customer
}

/**
 * The owner of paid-in money if the request names no customer: the owner of the payee's account. Null means
 * the platform, which also pays for receivers at UMA addresses.
 */
function findPayeeOwner(payee: Payee): string | null {
  if (payee.kind === 'uma') return null
  return payee.kind === 'internal' && payee.umaAddress !== undefined ? null : payee.account.customer_id
}

/** `isPayable` restricts external accounts by owner. Anyone may pay an internal account. */
async function findPayee(
  op: Op,
  destination: QuoteBody['destination'],
  isPayable: (owner: string | null) => boolean,
): Promise<Payee> {
  if (destination.destinationType === 'UMA_ADDRESS') return findUmaPayee(op, destination)
  const { accountId, currency, paymentRail } = destination
  const field = 'destination.accountId'
  if (accountId.startsWith('InternalAccount:')) {
    const account = await findInternalAccount(op, accountId, field)
    if (account.customer_id !== null) await findCustomer(op, account.customer_id, field)
    if (account.status !== 'ACTIVE')
      throw createFieldError(
        'INVALID_INPUT',
        field,
        `This account is ${account.status}, so it cannot receive money.`,
      )
    checkCurrency(currency, account.currency)
    if (paymentRail)
      throw createFieldError(
        'INVALID_INPUT',
        'destination.paymentRail',
        'A payment to an internal account does not use a rail. Remove paymentRail.',
      )
    return { kind: 'internal', account, currency: account.currency }
  }
  const account = await findExternalAccount(op, accountId, field)
  if (!isPayable(account.customer_id)) throw new ApiError('ACCOUNT_NOT_FOUND', { details: { field } })
  await checkUsable(op, account, field)
  if (account.customer_id !== null) await findCustomer(op, account.customer_id, field)
  checkCurrency(currency, account.currency)
  if (!isKnownCurrency(account.currency)) throw createNoRateError(field, account.currency)
  checkRail(account, paymentRail, 'destination.paymentRail')
  return { kind: 'external', account, currency: account.currency }
}

async function findUmaPayee(
  op: Op,
  { umaAddress, currency }: Extract<QuoteBody['destination'], { destinationType: 'UMA_ADDRESS' }>,
): Promise<Payee> {
  const receiver = await resolveUma(op, umaAddress, 'destination.umaAddress')
  checkQuotes(op, receiver, 'destination.umaAddress')
  const [defaultCurrency] = receiver.currencies
  const receiving = receiver.currencies.find((code) => code === (currency ?? defaultCurrency))
  if (receiving === undefined)
    throw createFieldError(
      'INVALID_CURRENCY',
      'destination.currency',
      `This address can receive only ${receiver.currencies.join(', ')}.`,
    )
  const account = receiver.customerId && (await findCustomerAccount(op, receiver.customerId, receiving))
  const recipient = { umaAddress: receiver.address, currency: receiving, counterparty: receiver.counterparty }
  return account
    ? { kind: 'internal', account, ...recipient }
    : { kind: 'uma', ...recipient, requiredFields: receiver.requiredFields }
}

function checkCurrency(requested: string | undefined, actual: string): void {
  if (requested && requested !== actual)
    throw createFieldError(
      'INVALID_CURRENCY',
      'destination.currency',
      `This account can receive only ${actual}.`,
    )
}

const INSTANT_SECONDS = 5 * 60
const OTHER_SECONDS = 15 * 60

/**
 * The time for which a rate is locked: 5 minutes if all rails are instant, otherwise 15 minutes
 * (specification 2.5). If the request names no rail, the account's slowest rail counts, except for Bacs.
 */
export function getValiditySeconds(payer: Payer, payee: Payee, rail: string | undefined): number {
  const payout = rail ? [rail] : payee.kind === 'external' ? listRails(payee.account).filter(isCommon) : []
  const rails = [...listFundingRails(payer), ...payout]
  return rails.every(isInstantRail) ? INSTANT_SECONDS : OTHER_SECONDS
}

/** The rails that may bring in a quote's money. Empty for an internal account. */
function listFundingRails(payer: Payer): readonly string[] {
  if (payer.kind === 'account') return []
  if (payer.kind === 'pull') return [payer.rail]
  const [type] = listFundingTypes(payer.currency, payer.network ?? undefined)
  return type ? accountType(type).rails.filter(isCommon) : []
}

/** False for networks used only if a payment or a configured rail chooses them. */
function isCommon(rail: string): boolean {
  return rail !== 'BACS'
}

function createNoRateError(field: string, currency: string) {
  return createFieldError('INVALID_CURRENCY', field, `No exchange rate is available for ${currency}.`)
}
