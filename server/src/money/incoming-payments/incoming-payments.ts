import { APPROVAL_SECONDS } from '@countersign/contract/payments/incoming-payments'
import {
  INCOMING_TRANSACTION_INITIAL,
  INCOMING_TRANSACTION_TRANSITIONS,
} from '@countersign/contract/states/payment-states'
import { findCustomerAccount } from '../../kernel/accounts/accounts.ts'
import { checkFitsBalance } from '../../kernel/ledger/balances.ts'
import { buildArrivalLegs } from '../../kernel/ledger/transfers.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { event } from '../../kernel/outbox/events.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { ask } from '../../kernel/outbox/own-endpoint.ts'
import { announce, moveTransaction } from '../../kernel/transactions/moves.ts'
import {
  newTransaction,
  type TransactionWithCustomer,
  toTransactionView,
} from '../../kernel/transactions/transactions.ts'
import { checkCurrencyLimits, getPlatformConfig } from '../../people/platforms/platform-config.ts'
import { expectRow, insert, type Write } from '../../storage/commit/writes.ts'
import type { CustomerRow, InternalAccountRow, TransactionRow } from '../../storage/rows/tables.ts'
import { mayReceive } from '../uma/uma.ts'

/** A payment to a customer as a rail reports it, before anything is credited. */
export interface ArrivingPayment {
  readonly customer: CustomerRow
  /** UMA address in lower case. */
  readonly sender: string
  /** In the smallest unit of `currency`. */
  readonly amount: bigint
  readonly currency: string
  /** Information about the sender, keyed by `CUSTOMER_INFO_FIELDS`. */
  readonly counterparty: Readonly<Record<string, unknown>>
  /** Set if the payment has already failed, so that nobody decides about it. */
  readonly failure?: 'LNURLP_FAILED'
}

/** The names of these fields in the request that reports the payment, for errors. */
export interface ArrivingFields {
  readonly currency: string
  readonly amount: string
}

/** The platform's rejection of a payment. */
export interface Rejection {
  readonly reason?: string
  /** Further information that the platform requires, as keys of `CUSTOMER_INFO_FIELDS`. */
  readonly requiredFields?: readonly string[]
  readonly failureReason?: 'MISSING_MANDATORY_PAYEE_DATA'
}

/**
 * Receives a payment (specification 2.11, 3.3). A platform with a webhook endpoint has 15 minutes to decide
 * about it; without an endpoint it is approved immediately. Throws 403 `USER_NOT_READY`, 400
 * `INVALID_CURRENCY` and `AMOUNT_OUT_OF_RANGE`, naming `fields`.
 */
export async function receivePayment(
  op: Op,
  arriving: ArrivingPayment,
  fields: ArrivingFields,
): Promise<{ readonly receipt: TransactionWithCustomer; readonly writes: readonly Write[] }> {
  const { customer, sender, amount, currency, counterparty, failure } = arriving
  const account = await findReceivingAccount(op, customer, currency, fields.currency)
  const config = getPlatformConfig(op)
  checkCurrencyLimits(config, 'INCOMING', currency, amount, fields.amount)
  await checkFitsBalance(op, buildArrivalLegs(account, amount), fields.amount)
  const mustWait = needsDecision(op)
  const row = newTransaction(op, {
    kind: 'RECEIPT',
    type: 'INCOMING',
    direction: 'CREDIT',
    state: getFirstState(mustWait, failure !== undefined),
    failure_reason: failure ?? null,
    customer_id: customer.id,
    source_identifier: sender,
    destination_account_id: account.id,
    destination_identifier: customer.uma_address,
    sent_amount: null,
    sent_currency: null,
    received_amount: amount,
    received_currency: account.currency,
    fees: 0n,
    details: Object.keys(counterparty).length > 0 ? { counterparty } : {},
  })
  const receipt = { ...row, platform_customer_id: customer.platform_customer_id }
  return {
    receipt,
    writes: [
      insert('transactions', row),
      expectRow('customers', customer.id, { deleted_at: null }),
      expectRow('internal_accounts', account.id, { status: 'ACTIVE' }),
      ...(failure
        ? announce(op, receipt)
        : mustWait
          ? await requestDecision(op, receipt)
          : [scheduleSettlement(op, receipt)]),
    ],
  }
}

function getFirstState(mustWait: boolean, hasFailed: boolean): TransactionRow['state'] {
  const { fail, approve } = INCOMING_TRANSACTION_TRANSITIONS[INCOMING_TRANSACTION_INITIAL]
  if (hasFailed) return fail
  return mustWait ? INCOMING_TRANSACTION_INITIAL : approve
}

/**
 * The account that receives a customer's payment. Throws 403 `USER_NOT_READY`, 400 `INVALID_CURRENCY`, naming
 * `field`.
 */
async function findReceivingAccount(
  op: Op,
  customer: CustomerRow,
  currency: string,
  field: string,
): Promise<InternalAccountRow> {
  if (customer.verification_status !== 'APPROVED') throw new ApiError('USER_NOT_READY')
  const account = mayReceive(op, currency) ? await findCustomerAccount(op, customer.id, currency) : undefined
  // A chain wallet can be paid only on its chain.
  if (!account || account.chain_rail !== null)
    throw createFieldError('INVALID_CURRENCY', field, `The customer cannot receive ${currency}.`)
  return account
}

function toJobPayload(receipt: TransactionRow) {
  return { transactionId: receipt.id }
}

function scheduleSettlement(op: Op, receipt: TransactionRow): Write {
  return job(op, 'receipt.settle', toJobPayload(receipt), op.now)
}

/** True if the platform decides about its customers' incoming payments, because it has a webhook endpoint. */
export function needsDecision(op: Op): boolean {
  return getPlatformConfig(op).webhookEndpoint !== undefined
}

/** Asks the platform to decide about a pending payment, and schedules the deadline of the decision. */
export async function requestDecision(op: Op, receipt: TransactionWithCustomer): Promise<Write[]> {
  return [
    ...(await buildDecisionRequest(op, receipt)),
    job(op, 'receipt.expire', toJobPayload(receipt), getApprovalDeadline(receipt)),
  ]
}

/** The event that asks for a decision. Senders cannot ask for information about the receiver yet. */
function buildDecisionRequest(op: Op, receipt: TransactionWithCustomer): Promise<Write[]> {
  const data = { ...toTransactionView(receipt, receipt), requestedReceiverCustomerInfoFields: [] }
  return ask(op, event(op, 'INCOMING_PAYMENT.PENDING', receipt.id, data))
}

/** When the period for the platform's decision ends. */
export function getApprovalDeadline(receipt: TransactionRow): Date {
  return addSeconds(receipt.created_at, APPROVAL_SECONDS)
}

/**
 * True while the platform can decide. False after the deadline, even if the job that expires the payment is
 * late.
 */
export function isAwaitingApproval(op: Op, transaction: TransactionRow): boolean {
  return (
    transaction.kind === 'RECEIPT' &&
    transaction.state === 'PENDING' &&
    op.now < getApprovalDeadline(transaction)
  )
}

/** Approves a payment and schedules its credit. Guard: the payment is undecided. */
export function approveReceipt(
  op: Op,
  receipt: TransactionWithCustomer,
  receiverCustomerInfo: Readonly<Record<string, unknown>> | undefined,
): { readonly receipt: TransactionWithCustomer; readonly writes: readonly Write[] } {
  const details = { ...receipt.details, ...(receiverCustomerInfo ? { receiverCustomerInfo } : {}) }
  const { row, writes } = moveTransaction(op, receipt, 'approve', { details })
  return { receipt: row, writes: [...writes, scheduleSettlement(op, row)] }
}

/** Schedules the return of the deposit that funded the payment, if any. */
export function scheduleReturn(op: Op, { details }: TransactionRow): Write[] {
  return details.deposit === undefined
    ? []
    : [job(op, 'deposit.return', { depositId: details.deposit }, op.now)]
}

/** Rejects a payment and refunds it. Guard: the payment is undecided. */
export function rejectReceipt(
  op: Op,
  receipt: TransactionWithCustomer,
  { reason, requiredFields, failureReason }: Rejection,
): { readonly receipt: TransactionWithCustomer; readonly writes: readonly Write[] } {
  const decisionDetails = {
    ...(reason === undefined ? {} : { rejectionReason: reason }),
    ...(requiredFields === undefined ? {} : { requiredFields }),
  }
  const counterparty = { ...receipt.details.counterparty, ...decisionDetails }
  const details = {
    ...receipt.details,
    ...(Object.keys(counterparty).length > 0 ? { counterparty } : {}),
  }
  const change = { details, failure_reason: failureReason ?? null }
  const { row, writes } = moveTransaction(op, receipt, 'reject', change)
  return { receipt: row, writes: [...writes, ...scheduleReturn(op, receipt)] }
}
