import type { customerTokens } from '@countersign/contract/auth/customer-tokens'
import { findCustomer } from '../customers/customers.ts'
import { expectRow, update } from '../db/commit/writes.ts'
import type { CustomerTokenRow } from '../db/schema/customer-token-tables.ts'
import { ApiError, fieldError, type Handlers } from '../op/operation.ts'
import { makeCustomerToken } from './customer-tokens.ts'
import { selectCustomerTokenById } from './store.ts'

export const customerTokenHandlers: Handlers<typeof customerTokens> = {
  customer_token_create: async (op, { body }) => {
    const { actor } = op
    if (actor.kind !== 'token') throw new Error('Only an API token makes tokens')
    const lacking = body.permissions.filter((permission) => !actor.permissions.includes(permission))
    if (lacking.length > 0)
      throw fieldError(
        'FORBIDDEN',
        'permissions',
        `This token cannot grant permissions that it does not have: ${lacking.join(', ')}.`,
      )
    const customer = await findCustomer(op, body.customerId)
    const { row, accessToken, write } = makeCustomerToken(op, actor.tokenId, body)
    return {
      status: 201,
      body: { ...customerTokenView(row), accessToken },
      writes: [
        write,
        expectRow('customers', customer.id, { deleted_at: null }),
        expectRow('api_tokens', actor.tokenId, { deleted_at: null }),
      ],
    }
  },

  customer_token_delete: async (op, { params }) => {
    const token = await selectCustomerTokenById(op, params.customerTokenId)
    if (!token) throw new ApiError('TOKEN_NOT_FOUND', { details: { field: 'customerTokenId' } })
    return {
      status: 204,
      body: undefined,
      writes: [update('customer_tokens', token.id, { revoked_at: null }, { revoked_at: op.now })],
    }
  },
}

function customerTokenView(row: CustomerTokenRow) {
  return {
    id: row.id,
    customerId: row.customer_id,
    permissions: row.permissions,
    expiresAt: row.expires_at.toISOString(),
    createdAt: row.created_at.toISOString(),
  }
}
