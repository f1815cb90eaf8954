import type { contactVerification } from '@countersign/contract/customers/contact-verification'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { findCustomer, toCustomerView } from '../customers/customers.ts'
import { scheduleVerificationCheck } from '../customers/verification.ts'
import { confirmCode, sendCode } from './contact-codes.ts'

export const contactVerificationHandlers: Handlers<typeof contactVerification> = {
  customer_verify_email: async (op, { params }) => ({
    status: 204,
    body: undefined,
    writes: await sendCode(op, await findCustomer(op, params.customerId), 'email'),
  }),

  customer_confirm_email: async (op, { params, body }) => {
    const customer = await findCustomer(op, params.customerId)
    const { row, writes } = await confirmCode(op, customer, 'email', body.code)
    return {
      status: 200,
      body: toCustomerView(row),
      writes: [...writes, ...scheduleVerificationCheck(op, row)],
    }
  },

  customer_verify_phone: async (op, { params }) => ({
    status: 204,
    body: undefined,
    writes: await sendCode(op, await findCustomer(op, params.customerId), 'phone'),
  }),

  customer_confirm_phone: async (op, { params, body }) => {
    const customer = await findCustomer(op, params.customerId)
    const { row, writes } = await confirmCode(op, customer, 'phone', body.code)
    return {
      status: 200,
      body: toCustomerView(row),
      writes: [...writes, ...scheduleVerificationCheck(op, row)],
    }
  },
}
