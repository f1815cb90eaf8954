import type { customerErasures } from '@countersign/contract/customers/erasures'
import { findCustomerOnRecord } from '../customers/customers.ts'
import { expectRow } from '../db/commit/writes.ts'
import type { CustomerRow } from '../db/schema/tables.ts'
import { maySee, type Op } from '../op/app.ts'
import { ApiError, type Handlers } from '../op/operation.ts'
import { erasureView, findErasure, scheduleErasure } from './erasures.ts'

export const erasureHandlers: Handlers<typeof customerErasures> = {
  /** Takes a deleted customer only: what a living one is asked for would be gone. Error: 409 `CONFLICT`. */
  customer_erase: async (op, { params }) => {
    const customer = await findAnyCustomer(op, params.customerId)
    const { deleted_at, version } = customer
    if (deleted_at === null)
      throw new ApiError('CONFLICT', {
        message:
          'Only a deleted customer is erased. Delete the customer (DELETE /customers/{customerId}), then ask again.',
        details: { field: 'customerId' },
      })
    const before = await findErasure(op, customer.id)
    if (before) return { status: 200, body: erasureView(before) }
    const { row, writes } = scheduleErasure(op, customer.id, deleted_at)
    return {
      status: 200,
      body: erasureView(row),
      writes: [expectRow('customers', customer.id, { version }), ...writes],
    }
  },

  customer_erasure_get: async (op, { params }) => {
    const customer = await findAnyCustomer(op, params.customerId)
    const erasure = await findErasure(op, customer.id)
    if (!erasure) throw new ApiError('ERASURE_NOT_FOUND', { details: { field: 'customerId' } })
    return { status: 200, body: erasureView(erasure) }
  },
}

/** A customer of this platform, deleted or not. Error: 404 `USER_NOT_FOUND`. */
async function findAnyCustomer(op: Op, id: string): Promise<CustomerRow> {
  const customer = await findCustomerOnRecord(op, id)
  if (!customer || !maySee(op, customer.id))
    throw new ApiError('USER_NOT_FOUND', { details: { field: 'customerId' } })
  return customer
}
