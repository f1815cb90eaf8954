import type { customerTokens } from '@countersign/contract/auth/customer-tokens'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, type Handlers } from '../../kernel/operation/operation.ts'
import { checkMayGrant } from '../../kernel/operation/permissions.ts'
import { expectRow, update } from '../../storage/commit/writes.ts'
import type { CustomerTokenRow } from '../../storage/rows/customer-token.ts'
import { findCustomer } from '../customers/customers.ts'
import { selectCustomerTokenById } from './customer-token-store.ts'
import { type Maker, makeCustomerToken } from './customer-tokens.ts'

export const customerTokenHandlers: Handlers<typeof customerTokens> = {
  customer_token_create: async (op, { body }) => {
    checkMayGrant(op, body.permissions)
    const maker = toMaker(op)
    const customer = await findCustomer(op, body.customerId)
    const { row, accessToken, write } = makeCustomerToken(op, maker, body)
    return {
      status: 201,
      body: { ...toCustomerTokenView(row), accessToken },
      writes: [
        write,
        expectRow('customers', customer.id, { deleted_at: null }),
        'token_id' in maker
          ? expectRow('api_tokens', maker.token_id, { deleted_at: null })
          : expectRow('members', maker.member_id, { state: 'ACTIVE' }),
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

function toMaker({ actor }: Op): Maker {
  if (actor.kind === 'token') return { token_id: actor.tokenId }
  if (actor.kind === 'member') return { member_id: actor.memberId }
  throw new Error('Only API tokens and members can create customer tokens')
}

function toCustomerTokenView(row: CustomerTokenRow) {
  return {
    id: row.id,
    customerId: row.customer_id,
    permissions: row.permissions,
    expiresAt: row.expires_at.toISOString(),
    createdAt: row.created_at.toISOString(),
  }
}
