import { isKnownCurrency } from '@countersign/contract/currencies'
import type { BodyOf } from '@countersign/contract/endpoint'
import type { transfer_in, transfer_out } from '@countersign/contract/transfers'
import { balanceUpdated, findOwnedAccount, type OwnedAccountRow } from '../accounts/accounts.ts'
import type { Op } from '../app.ts'
import type { ExternalAccountRow, InternalAccountRow } from '../db/tables.ts'
import { insert, type Write } from '../db/writes.ts'
import { checkRail, findExternalAccount } from '../external-accounts/external-accounts.ts'
import { INT64_MAX } from '../int64.ts'
import { job } from '../jobs/jobs.ts'
import { type Balance, hold } from '../ledger/ledger.ts'
import { ApiError, fieldError } from '../operation.ts'
import { checkCurrencyLimits, platformConfig } from '../platforms/platforms.ts'
import { inWords } from '../quotes/pricing.ts'
import { announce } from '../transactions/moves.ts'
import { newTransaction, type TransactionWithCustomer } from '../transactions/transactions.ts'
import type { KnownTransfer } from './jobs.ts'

export interface BegunTransfer {
  readonly transaction: TransactionWithCustomer
  readonly writes: readonly Write[]
}

/** Begins to pull money in. Nothing is the account's until the rail has it. */
export async function beginTransferIn(op: Op, body: BodyOf<typeof transfer_in>): Promise<BegunTransfer> {
  const { source, destination, amount } = body
  if (amount === undefined)
    throw fieldError('INVALID_INPUT', 'amount', 'amount is required: say how much to pull in')
  const parties = await findParties(op, destination.accountId, 'destination', source.accountId, 'source')
  const { internal, external, platformCustomerId, balance } = parties
  checkLimits(op, 'INCOMING', internal, amount)
  if (balance.total + amount > INT64_MAX)
    throw fieldError('AMOUNT_OUT_OF_RANGE', 'amount', 'The account would hold more than it can count')
  const row = newTransaction(op, {
    kind: 'TRANSFER_IN',
    type: 'INCOMING',
    direction: 'CREDIT',
    state: 'PENDING',
    customer_id: internal.customer_id,
    source_account_id: external.id,
    source_identifier: external.identifier,
    destination_account_id: internal.id,
    sent_amount: amount,
    sent_currency: internal.currency,
    received_amount: amount,
    received_currency: internal.currency,
  })
  const transaction = { ...row, platform_customer_id: platformCustomerId }
  return {
    transaction,
    writes: [insert('transactions', row), settleJob(op, { transaction, account: internal })],
  }
}

/** Begins to push money out: it is held at once. Guard: the account can spend it. */
export async function beginTransferOut(op: Op, body: BodyOf<typeof transfer_out>): Promise<BegunTransfer> {
  const { source, destination } = body
  const parties = await findParties(op, source.accountId, 'source', destination.accountId, 'destination')
  const { internal, external, platformCustomerId, balance } = parties
  checkRail(external, destination.paymentRail, 'destination.paymentRail')
  const amount = body.amount ?? balance.available
  if (amount > balance.available || amount === 0n) throw insufficient(internal, balance, body.amount)
  checkLimits(op, 'OUTGOING', internal, amount)
  const id = op.newId('Transaction')
  const { holdId, write } = hold(op, { cause: 'transaction', causeId: id }, internal.id, amount)
  const row = newTransaction(op, {
    id,
    kind: 'TRANSFER_OUT',
    type: 'INCOMING',
    direction: 'DEBIT',
    state: 'PENDING',
    customer_id: internal.customer_id,
    source_account_id: internal.id,
    destination_account_id: external.id,
    destination_identifier: external.identifier,
    sent_amount: amount,
    sent_currency: internal.currency,
    received_amount: amount,
    received_currency: internal.currency,
    hold_id: holdId,
    payment_rail: destination.paymentRail ?? null,
    remittance_information: body.remittanceInformation ?? null,
  })
  const transaction = { ...row, platform_customer_id: platformCustomerId }
  return {
    transaction,
    writes: [
      write,
      insert('transactions', row),
      ...announce(op, transaction),
      balanceUpdated(op, internal),
      settleJob(op, { transaction, account: internal }),
    ],
  }
}

interface Parties {
  readonly internal: InternalAccountRow
  readonly external: ExternalAccountRow
  readonly platformCustomerId: string | null
  readonly balance: Balance
}

/** Both accounts: of one owner, who is approved, and of one currency. Errors name the side. */
async function findParties(
  op: Op,
  internalId: string,
  internalSide: 'source' | 'destination',
  externalId: string,
  externalSide: 'source' | 'destination',
): Promise<Parties> {
  if (!op.rail) throw new ApiError('NOT_IMPLEMENTED', { message: 'This server has no rail to pay by.' })
  const externalField = `${externalSide}.accountId`
  const [internal, external] = await Promise.all([
    findOwnedAccount(op, internalId, `${internalSide}.accountId`),
    findExternalAccount(op, externalId, externalField),
  ])
  if (internalSide === 'source' && internal.type === 'EMBEDDED_WALLET')
    throw fieldError(
      'INVALID_INPUT',
      'source.accountId',
      'An embedded wallet pays by its signature: make a quote with POST /quotes and execute it with POST /quotes/{quoteId}/execute',
    )
  if (external.customer_id !== internal.customer_id)
    throw new ApiError('ACCOUNT_NOT_FOUND', { details: { field: externalField } })
  if (external.currency !== internal.currency)
    throw fieldError(
      'INVALID_CURRENCY',
      externalField,
      `This account is in ${external.currency}, the other one in ${internal.currency}: make a quote to convert`,
    )
  if (internal.status !== 'ACTIVE')
    throw fieldError('INVALID_INPUT', `${internalSide}.accountId`, `This account is ${internal.status}`)
  return {
    internal,
    external,
    platformCustomerId: approvedOwner(internal, internalSide),
    balance: { available: internal.posted - internal.held, total: internal.posted },
  }
}

function approvedOwner(account: OwnedAccountRow, side: string): string | null {
  if (account.customer_id === null) return null
  if (account.owner_deleted_at)
    throw new ApiError('CUSTOMER_DELETED', { details: { field: `${side}.accountId` } })
  if (account.verification_status !== 'APPROVED') throw new ApiError('USER_NOT_READY')
  return account.platform_customer_id
}

function checkLimits(
  op: Op,
  type: 'INCOMING' | 'OUTGOING',
  { currency }: InternalAccountRow,
  amount: bigint,
) {
  checkCurrencyLimits(platformConfig(op), type, currency, amount, 'amount')
}

function insufficient(
  account: InternalAccountRow,
  { available }: Balance,
  asked: bigint | undefined,
): ApiError {
  if (!isKnownCurrency(account.currency)) throw new Error(`An account in ${account.currency}`)
  const has = `The account can spend ${inWords(available, account.currency)}`
  return new ApiError('INSUFFICIENT_BALANCE', {
    message: asked === undefined ? `${has}.` : `${has}, not ${inWords(asked, account.currency)}.`,
    details: { field: 'amount', available, ...(asked === undefined ? {} : { required: asked }) },
  })
}

function settleJob(op: Op, known: KnownTransfer): Write {
  return job(op, 'transfer.settle', { transactionId: known.transaction.id }, op.now, known)
}
