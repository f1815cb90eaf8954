import type { BodyOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import type { transfer_in } from '@countersign/contract/payments/transfers'
import { INCOMING_TRANSACTION_INITIAL } from '@countersign/contract/states/payment-states'
import { buildBalanceEvent, findOwnedAccount, type OwnedAccountRow } from '../../kernel/accounts/accounts.ts'
import { type Balance, checkFitsBalance } from '../../kernel/ledger/balances.ts'
import { hold } from '../../kernel/ledger/holds.ts'
import { buildArrivalLegs } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { Rail } from '../../kernel/ports/rail.ts'
import { announce } from '../../kernel/transactions/moves.ts'
import {
  newTransaction,
  type TransactionWithCustomer,
  toReceivedAmount,
  toSentAmount,
} from '../../kernel/transactions/transactions.ts'
import { checkCurrencyLimits, getPlatformConfig } from '../../people/platforms/platform-config.ts'
import { expectRow, insert, update, type Write } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { ExternalAccountRow, InternalAccountRow, TransactionRow } from '../../storage/rows/tables.ts'
import { checkUsable } from '../external-accounts/account-changes.ts'
import { findExternalAccount, findPullRail } from '../external-accounts/external-accounts.ts'
import { checkPayment, chooseRail } from '../rails/choose-rail.ts'
import { findDebitMandate } from '../rails/collections.ts'
import { createPaymentRecord, type PaymentOrder } from '../rails/rail-payments.ts'

/** A checked transfer that has not started and is not stored yet. */
export interface TransferDraft {
  readonly transaction: TransactionWithCustomer
  /** The internal account. */
  readonly account: InternalAccountRow
}

export interface StartedTransfer {
  readonly transaction: TransactionWithCustomer
  readonly writes: readonly Write[]
}

/** Checks a transfer in. Without an amount, it pulls the amount that the rail reports as available. */
export async function draftTransferIn(op: Op, body: BodyOf<typeof transfer_in>): Promise<TransferDraft> {
  const { source, destination } = body
  const parties = await findParties(op, destination.accountId, 'destination', source.accountId, 'source')
  const { internal, external, platformCustomerId } = parties
  await checkUsable(op, external, 'source.accountId')
  const request = { ...toRouteRequest(external, findPullRail(external) ?? null), direction: 'PULL' } as const
  const amount =
    body.amount ?? (await findPullable(await chooseRail(op, request, 'source.accountId'), external))
  const rail = await chooseRail(op, { ...request, amount }, 'amount')
  const { account_info: account, currency } = external
  const { direction, paymentRail } = request
  const debitMandate = await findDebitMandate(op, rail, external)
  const pull = { direction, account, amount, currency, paymentRail, remittanceInformation: null }
  checkPayment(rail, { ...pull, mandate: debitMandate?.mandate }, PULL_FIELDS)
  checkLimits(op, 'INCOMING', internal, amount)
  await checkFitsBalance(op, buildArrivalLegs(internal, amount), 'amount')
  const row = newTransaction(op, {
    kind: 'TRANSFER_IN',
    type: 'INCOMING',
    direction: 'CREDIT',
    state: INCOMING_TRANSACTION_INITIAL,
    customer_id: internal.customer_id,
    source_account_id: external.id,
    source_identifier: external.identifier,
    destination_account_id: internal.id,
    sent_amount: amount,
    sent_currency: internal.currency,
    received_amount: amount,
    received_currency: internal.currency,
    details: { ...toRailDetails(op, rail), ...present({ mandateId: debitMandate?.mandateId }) },
  })
  return {
    transaction: { ...row, platform_customer_id: platformCustomerId },
    account: internal,
  }
}

export const TRANSFER_FIELDS = { amount: 'amount', remittanceInformation: 'remittanceInformation' } as const
const PULL_FIELDS = { account: 'source.accountId', ...TRANSFER_FIELDS } as const

/** The route request for a payment to or from an external account. */
export function toRouteRequest({ account_type, currency }: ExternalAccountRow, paymentRail: string | null) {
  return { accountType: account_type, currency, paymentRail, amount: undefined }
}

/** The rail of a transfer and, if the rail is closed, when it opens. */
export function toRailDetails(op: Op, rail: Rail) {
  const opensAt = rail.opensAt(op.now)
  return present({
    rail: rail.name,
    submitsAt: opensAt > op.now ? opensAt.toISOString() : undefined,
  })
}

/**
 * The amount that can be pulled. Errors, naming `amount`: 400 `INVALID_INPUT` if it is unknown,
 * `INSUFFICIENT_BALANCE` if it is zero.
 */
async function findPullable(rail: Rail, account: ExternalAccountRow): Promise<bigint> {
  const { identifier, currency } = account
  const paymentRail = findPullRail(account) ?? null
  const available = await rail.pullable({ identifier, currency, paymentRail })
  if (available === undefined)
    throw createFieldError(
      'INVALID_INPUT',
      'amount',
      'amount is required, because the balance of this account is unknown',
    )
  if (available > 0n) return available
  throw new ApiError('INSUFFICIENT_BALANCE', {
    message: 'This account has no money to pull.',
    details: { field: 'amount', available, currency },
  })
}

/**
 * Starts a transfer. A transfer out holds its amount immediately; a transfer in credits nothing until the
 * rail has the money. Guard: the account can spend the amount.
 * @param velocityWrites the writes of `Velocity.admit`, which counts a transfer out
 */
export function beginTransfer(
  op: Op,
  { transaction, account }: TransferDraft,
  velocityWrites: readonly Write[],
): StartedTransfer {
  if (transaction.kind === 'TRANSFER_IN')
    return {
      transaction,
      writes: [
        ...guardOwner(account),
        insertTransaction(transaction),
        ...scheduleSettlement(op, transaction),
      ],
    }
  const { holdId, write } = placeHold(op, transaction, account)
  const updated = { ...transaction, hold_id: holdId }
  return {
    transaction: updated,
    writes: [
      ...velocityWrites,
      write,
      insertTransaction(updated),
      ...announce(op, updated),
      buildBalanceEvent(op, account),
      ...scheduleSettlement(op, updated),
    ],
  }
}

/** Records a transfer that must be approved before it starts. Holds no money. */
export function recordTransfer(op: Op, { transaction, account }: TransferDraft): Write[] {
  return [
    ...guardOwner(account),
    insertTransaction(transaction),
    ...(transaction.direction === 'DEBIT' ? announce(op, transaction) : []),
  ]
}

/**
 * Starts a recorded transfer. `velocityWrites` is the same as in `beginTransfer`. Guards: the transfer has
 * not started or ended, and the account can spend the amount.
 */
export function beginRecordedTransfer(
  op: Op,
  transaction: TransactionWithCustomer,
  account: InternalAccountRow,
  velocityWrites: readonly Write[],
): StartedTransfer {
  const notStartedGuard = { state: transaction.state, hold_id: null }
  if (transaction.kind === 'TRANSFER_IN')
    return {
      transaction,
      writes: [
        ...guardOwner(account),
        expectRow('transactions', transaction.id, notStartedGuard),
        ...scheduleSettlement(op, transaction, op.now),
      ],
    }
  const { holdId, write } = placeHold(op, transaction, account)
  const change = { hold_id: holdId, updated_at: op.now }
  const updated = { ...transaction, ...change }
  return {
    transaction: updated,
    writes: [
      ...velocityWrites,
      write,
      update('transactions', transaction.id, notStartedGuard, change),
      buildBalanceEvent(op, account),
      ...scheduleSettlement(op, updated, op.now),
    ],
  }
}

/**
 * Guard: the owner is not deleted in the meantime. A transfer out does not need this guard, because deleting
 * the owner closes the account in the ledger.
 */
export function guardOwner({ customer_id }: InternalAccountRow): Write[] {
  return customer_id === null ? [] : [expectRow('customers', customer_id, { deleted_at: null })]
}

function insertTransaction({ platform_customer_id: _, ...row }: TransactionWithCustomer): Write {
  return insert('transactions', row)
}

function placeHold(op: Op, transaction: TransactionRow, account: InternalAccountRow) {
  return hold(op, { cause: 'transaction', causeId: transaction.id }, buildTransferHold(transaction, account))
}

/** The hold of a transfer out on its account. */
export function buildTransferHold(transaction: TransactionRow, { id, currency }: InternalAccountRow) {
  const { rail } = transaction.details
  return { account: id, to: 'rail', rail, currency, amount: toSentAmount(transaction).amount } as const
}

export interface Parties {
  readonly internal: InternalAccountRow
  readonly external: ExternalAccountRow
  readonly platformCustomerId: string | null
  readonly balance: Balance
}

/**
 * Finds the two accounts, which must have the same approved owner and the same currency. Errors name the
 * side.
 */
export async function findParties(
  op: Op,
  internalId: string,
  internalSide: 'source' | 'destination',
  externalId: string,
  externalSide: 'source' | 'destination',
): Promise<Parties> {
  const externalField = `${externalSide}.accountId`
  const [internal, external] = await Promise.all([
    findOwnedAccount(op, internalId, `${internalSide}.accountId`),
    findExternalAccount(op, externalId, externalField),
  ])
  return checkParties(internal, internalSide, external, externalSide)
}

/** Checks that two accounts can pay each other. Errors name the side. */
export function checkParties(
  internal: OwnedAccountRow,
  internalSide: 'source' | 'destination',
  external: ExternalAccountRow,
  externalSide: 'source' | 'destination',
): Parties {
  const externalField = `${externalSide}.accountId`
  if (internalSide === 'source' && internal.type === 'EMBEDDED_WALLET')
    throw createFieldError(
      'INVALID_INPUT',
      'source.accountId',
      'An embedded wallet can pay only with its signature. Create a quote with POST /quotes, and execute it with POST /quotes/{quoteId}/execute.',
    )
  if (internalSide === 'destination' && internal.chain_rail !== null)
    throw createFieldError(
      'INVALID_INPUT',
      'destination.accountId',
      'A chain wallet is paid at its address on the chain. Create a quote with POST /quotes instead.',
    )
  if (external.customer_id !== internal.customer_id)
    throw new ApiError('ACCOUNT_NOT_FOUND', { details: { field: externalField } })
  if (external.currency !== internal.currency)
    throw createFieldError(
      'INVALID_CURRENCY',
      externalField,
      `This account is in ${external.currency}, but the other account is in ${internal.currency}. Create a quote to convert the money.`,
    )
  const platformCustomerId = requireApprovedOwner(internal, internalSide)
  if (internal.status !== 'ACTIVE')
    throw createFieldError(
      'INVALID_INPUT',
      `${internalSide}.accountId`,
      `This account is ${internal.status}, but it must be ACTIVE.`,
    )
  return {
    internal,
    external,
    platformCustomerId,
    balance: { available: internal.posted - internal.held, total: internal.posted },
  }
}

function requireApprovedOwner(account: OwnedAccountRow, side: string): string | null {
  if (account.customer_id === null) return null
  if (account.owner_deleted_at)
    throw new ApiError('CUSTOMER_DELETED', { details: { field: `${side}.accountId` } })
  if (account.verification_status !== 'APPROVED') throw new ApiError('USER_NOT_READY')
  return account.platform_customer_id
}

export function checkLimits(
  op: Op,
  type: 'INCOMING' | 'OUTGOING',
  { currency }: InternalAccountRow,
  amount: bigint,
) {
  checkCurrencyLimits(getPlatformConfig(op), type, currency, amount, 'amount')
}

/** The payment order of a transfer, for its rail. */
export function toPaymentOrder(transaction: TransactionRow): Omit<PaymentOrder, 'submittedAt'> {
  const isOutgoing = transaction.kind === 'TRANSFER_OUT'
  return {
    rail: transaction.details.rail ?? null,
    direction: isOutgoing ? 'OUT' : 'PULL',
    id: transaction.id,
    purpose: 'transfer',
    accountId: requireColumn(transaction, isOutgoing ? 'destination_account_id' : 'source_account_id'),
    identifier: requireColumn(transaction, isOutgoing ? 'destination_identifier' : 'source_identifier'),
    originatorId: transaction.customer_id ?? transaction.platform_id,
    mandateId: transaction.details.mandateId,
    paymentRail: transaction.payment_rail,
    chain: transaction.details.chain ?? null,
    ...toReceivedAmount(transaction),
    reference: transaction.reference,
    remittanceInformation: transaction.remittance_information,
    ...(transaction.details.isMicroDeposit ? { isMicroDeposit: true } : {}),
  }
}

/**
 * The record of a transfer at its rail, and its job, which is due immediately or when the rail opens.
 * `submittedAt` is set for a transfer recorded earlier.
 */
function scheduleSettlement(op: Op, transaction: TransactionWithCustomer, submittedAt?: Date): Write[] {
  op.known.add('transactions', transaction.id, transaction)
  const rail = op.rails.find(transaction.details.rail ?? null)
  // If the rail was removed, the job fails until it is configured again.
  const submitsAt = rail?.opensAt(op.now) ?? op.now
  const payload = {
    transactionId: transaction.id,
    ...(submittedAt ? { submittedAt: submittedAt.toISOString() } : {}),
  }
  return [
    ...createPaymentRecord(op, toPaymentOrder(transaction), submitsAt),
    job(op, 'transfer.settle', payload, submitsAt),
  ]
}
