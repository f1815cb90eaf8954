import type { sandbox_uma_receive, sandboxUma } from '@countersign/contract/payments/receipts'
import { findCustomer } from '../customers/customers.ts'
import type { CustomerRow } from '../db/schema/tables.ts'
import type { Op } from '../op/app.ts'
import { fieldError, type Handlers, type Input } from '../op/operation.ts'
import { receivePayment } from '../receipts/receipts.ts'
import { transactionView } from '../transactions/transactions.ts'
import { askedOf, SANDBOX_COUNTERPARTY } from '../uma/counterparty.ts'
import { findCustomerAtUma, readUmaAddress } from '../uma/uma.ts'

export const sandboxUmaHandlers: Handlers<typeof sandboxUma> = {
  /** Simulates an incoming payment (specification 4.14). Its sender discloses everything that the platform requires. */
  sandbox_uma_receive: async (op, { body }) => {
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
  },
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
