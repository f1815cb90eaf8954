import type { beneficialOwners } from '@countersign/contract/customers/beneficial-owners'
import type { Op } from '../../kernel/operation/app.ts'
import { createFieldError, type Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import { selectBeneficialOwners } from './beneficial-owner-store.ts'
import {
  changeBeneficialOwner,
  checkOwner,
  findBeneficialOwner,
  findBeneficialOwners,
  makeBeneficialOwner,
  toBeneficialOwnerView,
} from './beneficial-owners.ts'
import { findCustomer } from './customers.ts'
import { scheduleVerificationCheck } from './verification.ts'

export const beneficialOwnerHandlers: Handlers<typeof beneficialOwners> = {
  beneficial_owner_create: async (op, { body }) => {
    // Read the customer first: its version guards the set of owners.
    const business = await findBusiness(op, body.customerId)
    checkOwner(op, await findBeneficialOwners(op, business.id), body)
    const owner = makeBeneficialOwner(op, business, body)
    return {
      status: 201,
      body: toBeneficialOwnerView(owner),
      writes: [
        insert('beneficial_owners', owner),
        markOwnersChanged(business),
        ...scheduleVerificationCheck(op, business),
      ],
    }
  },

  beneficial_owner_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectBeneficialOwners(op, query.customerId),
      table: 'beneficial_owners',
      view: (rows) => rows.map(toBeneficialOwnerView),
    }),
  }),

  beneficial_owner_get: async (op, { params }) => {
    const owner = await findBeneficialOwner(op, params.beneficialOwnerId)
    await findCustomer(op, owner.customer_id)
    return { status: 200, body: toBeneficialOwnerView(owner) }
  },

  beneficial_owner_update: async (op, { params, body }) => {
    const { customer_id } = await findBeneficialOwner(op, params.beneficialOwnerId)
    const business = await findBusiness(op, customer_id)
    const owners = await findBeneficialOwners(op, business.id)
    const owner = await findBeneficialOwner(op, params.beneficialOwnerId)
    checkOwner(
      op,
      owners.filter(({ id }) => id !== owner.id),
      body,
    )
    const { row, write } = changeBeneficialOwner(op, owner, body)
    return {
      status: 200,
      body: toBeneficialOwnerView(row),
      writes: [write, markOwnersChanged(business), ...scheduleVerificationCheck(op, business)],
    }
  },
}

/** Throws 400 naming the customer if it is an individual. */
async function findBusiness(op: Op, id: string): Promise<CustomerRow> {
  const customer = await findCustomer(op, id)
  if (customer.customer_type !== 'BUSINESS')
    throw createFieldError('INVALID_INPUT', 'customerId', 'Only a business can have beneficial owners.')
  return customer
}

/** Guard: the business and its set of owners are unchanged. */
function markOwnersChanged({ id, version }: CustomerRow): Write {
  return update('customers', id, { version, deleted_at: null }, { version: version + 1 })
}
