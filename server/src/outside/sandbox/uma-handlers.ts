import type { sandbox_uma_receive, sandboxUma } from '@countersign/contract/payments/incoming-payments'
import type { Op } from '../../kernel/operation/app.ts'
import { createFieldError, type Handlers, type Input } from '../../kernel/operation/operation.ts'
import { toTransactionView } from '../../kernel/transactions/transactions.ts'
import { receivePayment } from '../../money/incoming-payments/incoming-payments.ts'
import { pickRequired, SANDBOX_COUNTERPARTY } from '../../money/uma/counterparty.ts'
import { findCustomerAtUma, isUnknownToItsProvider, readUmaAddress } from '../../money/uma/uma.ts'
import { findCustomer } from '../../people/customers/customers.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'

export const sandboxUmaHandlers: Handlers<typeof sandboxUma> = {
  /**
   * Simulates an incoming payment (specification 4.14). Its sender discloses everything that the platform
   * requires.
   */
  sandbox_uma_receive: async (op, { body }) => {
    const sender = readUmaAddress(body.senderUmaAddress, 'senderUmaAddress')
    const customer = await findReceiver(op, body)
    if (customer.uma_address === sender)
      throw createFieldError(
        'SELF_PAYMENT',
        'senderUmaAddress',
        'The sender and the receiver must be different.',
      )
    const { receivingCurrencyCode: currency, receivingCurrencyAmount: amount } = body
    const counterparty = pickRequired(op, currency, SANDBOX_COUNTERPARTY)
    const { receipt, writes } = await receivePayment(
      op,
      { customer, sender, amount, currency, counterparty, ...findFailure(op, sender) },
      { currency: 'receivingCurrencyCode', amount: 'receivingCurrencyAmount' },
    )
    return { status: 200, body: toTransactionView(receipt, receipt), writes }
  },
}

/** Fails a payment whose sender cannot be found. */
function findFailure(op: Op, sender: string) {
  return isUnknownToItsProvider(op, sender) ? { failure: 'LNURLP_FAILED' as const } : {}
}

async function findReceiver(
  op: Op,
  { receiverUmaAddress, customerId }: Input<typeof sandbox_uma_receive>['body'],
): Promise<CustomerRow> {
  const field = 'receiverUmaAddress'
  const customer = customerId === undefined ? undefined : await findCustomer(op, customerId)
  if (receiverUmaAddress === undefined) {
    if (!customer) throw createFieldError('INVALID_INPUT', field, `Give ${field} or customerId.`)
    return customer
  }
  const receiver = await findCustomerAtUma(op, readUmaAddress(receiverUmaAddress, field), field)
  if (customer && customer.id !== receiver.id)
    throw createFieldError(
      'INVALID_INPUT',
      'customerId',
      `The customer ${customerId} does not have this ${field}.`,
    )
  return receiver
}
