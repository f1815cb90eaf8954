import type {
  sandbox_uma_receive,
  transaction_approve,
  transaction_reject,
} from '@countersign/contract/receipts'
import type { Op } from '../app.ts'
import { findCustomer } from '../customers/customers.ts'
import type { CustomerRow } from '../db/tables.ts'
import { ApiError, fieldError, type Handler, type Input } from '../operation.ts'
import { currencyConfig, platformConfig } from '../platforms/platforms.ts'
import {
  findTransaction,
  type TransactionWithCustomer,
  transactionView,
} from '../transactions/transactions.ts'
import { findCustomerAtUma, readUmaAddress } from '../uma/uma.ts'
import { approveReceipt, isAwaitingApproval, receivePayment, rejectReceipt } from './receipts.ts'
import { SANDBOX_SENDER } from './sandbox-sender.ts'

export const transactionApprove: Handler<typeof transaction_approve> = async (op, { params, body }) => {
  const waiting = await findAwaiting(op, params.transactionId)
  const { receipt, writes } = approveReceipt(op, waiting, body?.receiverCustomerInfo)
  return { status: 200, body: transactionView(receipt, receipt), writes }
}

export const transactionReject: Handler<typeof transaction_reject> = async (op, { params, body }) => {
  const waiting = await findAwaiting(op, params.transactionId)
  const { receipt, writes } = rejectReceipt(op, waiting, body ?? {})
  return { status: 200, body: transactionView(receipt, receipt), writes }
}

/** A payment out of nothing (specification 4.14). What the platform asks of every sender, this one tells. */
export const sandboxUmaReceive: Handler<typeof sandbox_uma_receive> = async (op, { body }) => {
  const sender = readUmaAddress(body.senderUmaAddress, 'senderUmaAddress')
  const customer = await findReceiver(op, body)
  if (customer.uma_address === sender)
    throw fieldError('SELF_PAYMENT', 'senderUmaAddress', 'The sender and the receiver are the same')
  const { receivingCurrencyCode: currency, receivingCurrencyAmount: amount } = body
  const asked = currencyConfig(platformConfig(op), currency)?.requiredCounterpartyFields ?? []
  const counterparty = Object.fromEntries(asked.map(({ name }) => [name, SANDBOX_SENDER[name]]))
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

async function findAwaiting(op: Op, id: string): Promise<TransactionWithCustomer> {
  const transaction = await findTransaction(op, id)
  if (!isAwaitingApproval(op, transaction))
    throw new ApiError('TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL', {
      details: { field: 'transactionId', status: transaction.state },
    })
  return transaction
}
