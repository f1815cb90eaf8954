import type {
  sandbox_uma_receive,
  transaction_approve,
  transaction_reject,
} from '@countersign/contract/receipts'
import { findActionOf } from '../agents/actions.ts'
import { approveAction, type Decided, rejectAction, signatureFor } from '../agents/approvals.ts'
import type { Op } from '../app.ts'
import { findCustomer } from '../customers/customers.ts'
import type { CustomerRow } from '../db/schema/tables.ts'
import { ApiError, fieldError, type Handler, type Input, type SignedHandler } from '../operation.ts'
import { executionCall } from '../quotes/quotes.ts'
import {
  findTransaction,
  type TransactionWithCustomer,
  transactionView,
} from '../transactions/transactions.ts'
import { askedOf, SANDBOX_COUNTERPARTY } from '../uma/counterparty.ts'
import { findCustomerAtUma, readUmaAddress } from '../uma/uma.ts'
import { approveReceipt, isAwaitingApproval, receivePayment, rejectReceipt } from './receipts.ts'

export const transactionApprove: SignedHandler<typeof transaction_approve> = {
  async signedAs(op, { params }) {
    const action = await findActionOf(op, await findTransaction(op, params.transactionId))
    return action && action.quote_id !== null ? executionCall(action.quote_id) : undefined
  },

  async authorize(op, { params }) {
    const action = await findActionOf(op, await findTransaction(op, params.transactionId))
    return action ? signatureFor(op, action) : null
  },

  async handle(op, { params, body }) {
    const transaction = await findTransaction(op, params.transactionId)
    const action = await findActionOf(op, transaction)
    if (action) return decidedOn(transaction, await approveAction(op, action))
    const { receipt, writes } = approveReceipt(op, checkAwaiting(op, transaction), body?.receiverCustomerInfo)
    return { status: 200, body: transactionView(receipt, receipt), writes }
  },
}

export const transactionReject: Handler<typeof transaction_reject> = async (op, { params, body }) => {
  const transaction = await findTransaction(op, params.transactionId)
  const action = await findActionOf(op, transaction)
  if (action) return decidedOn(transaction, await rejectAction(op, action, body?.reason))
  const { receipt, writes } = rejectReceipt(op, checkAwaiting(op, transaction), body ?? {})
  return { status: 200, body: transactionView(receipt, receipt), writes }
}

/** What an agent asked for is decided here as by its own endpoints (specification 1.3). */
function decidedOn(transaction: TransactionWithCustomer, decided: Decided | undefined) {
  if (!decided) throw notAwaiting(transaction)
  const { transaction: row, writes } = decided
  return { status: 200, body: transactionView(row, row), writes } as const
}

/** A payment out of nothing (specification 4.14). What the platform asks of every sender, this one tells. */
export const sandboxUmaReceive: Handler<typeof sandbox_uma_receive> = async (op, { body }) => {
  const sender = readUmaAddress(body.senderUmaAddress, 'senderUmaAddress')
  const customer = await findReceiver(op, body)
  if (customer.uma_address === sender)
    throw fieldError('SELF_PAYMENT', 'senderUmaAddress', 'The sender and the receiver are the same')
  const { receivingCurrencyCode: currency, receivingCurrencyAmount: amount } = body
  const counterparty = askedOf(op, currency, SANDBOX_COUNTERPARTY)
  const { receipt, writes } = await receivePayment(
    op,
    { customer, sender, amount, currency, counterparty },
    { currency: 'receivingCurrencyCode', amount: 'receivingCurrencyAmount' },
  )
  return { status: 200, body: transactionView(receipt, receipt), writes }
}

async function findReceiver(
  op: Op,
  { receiverUmaAddress, customerId }: Input<typeof sandbox_uma_receive>['body'],
): Promise<CustomerRow> {
  const field = 'receiverUmaAddress'
  if (receiverUmaAddress === undefined && customerId === undefined)
    throw fieldError('INVALID_INPUT', field, `Give ${field} or customerId`)
  const named = customerId === undefined ? undefined : await findCustomer(op, customerId)
  if (receiverUmaAddress === undefined) return named!
  const addressed = await findCustomerAtUma(op, readUmaAddress(receiverUmaAddress, field), field)
  if (named && named.id !== addressed.id)
    throw fieldError('INVALID_INPUT', 'customerId', `customerId is not the customer of ${field}`)
  return addressed
}

function checkAwaiting(op: Op, transaction: TransactionWithCustomer): TransactionWithCustomer {
  if (!isAwaitingApproval(op, transaction)) throw notAwaiting(transaction)
  return transaction
}

function notAwaiting({ state }: TransactionWithCustomer): ApiError {
  return new ApiError('TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL', {
    details: { field: 'transactionId', status: state },
  })
}
