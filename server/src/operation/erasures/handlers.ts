import type { customerErasures } from '@countersign/contract/customers/erasures'
import { canSee, type Op } from '../../kernel/operation/app.ts'
import { ApiError, type Handlers } from '../../kernel/operation/operation.ts'
import { findCustomerOnRecord } from '../../people/customers/customers.ts'
import { expectRow } from '../../storage/commit/writes.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import { findErasure, scheduleErasure, toErasureView } from './erasures.ts'

export const erasureHandlers: Handlers<typeof customerErasures> = {
  /**
   * Only for deleted customers: the platform still needs the data of an active one. Throws 409
   * `CUSTOMER_NOT_DELETED`.
   */
  customer_erase: async (op, { params }) => {
    const customer = await findAnyCustomer(op, params.customerId)
    const { deleted_at, version } = customer
    if (deleted_at === null) throw new ApiError('CUSTOMER_NOT_DELETED', { details: { field: 'customerId' } })
    const before = await findErasure(op, customer.id)
    if (before) return { status: 200, body: toErasureView(before) }
    const { row, writes } = scheduleErasure(op, customer.id, deleted_at)
    return {
      status: 200,
      body: toErasureView(row),
      writes: [expectRow('customers', customer.id, { version }), ...writes],
    }
  },

  customer_erasure_get: async (op, { params }) => {
    const customer = await findAnyCustomer(op, params.customerId)
    const erasure = await findErasure(op, customer.id)
    if (!erasure) throw new ApiError('ERASURE_NOT_FOUND', { details: { field: 'customerId' } })
    return { status: 200, body: toErasureView(erasure) }
  },
}

/** A customer of this platform, even if deleted. Throws 404 `USER_NOT_FOUND`. */
async function findAnyCustomer(op: Op, id: string): Promise<CustomerRow> {
  const customer = await findCustomerOnRecord(op, id)
  if (!customer || !canSee(op, customer.id))
    throw new ApiError('USER_NOT_FOUND', { details: { field: 'customerId' } })
  return customer
}
