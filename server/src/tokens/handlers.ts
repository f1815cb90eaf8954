import { effectivePermissions } from '@countersign/contract/core/endpoint'
import type { tokens } from '@countersign/contract/platforms/tokens'
import type { TokenRow } from '../db/schema/tables.ts'
import type { Op } from '../op/app.ts'
import { ApiError, fieldError, type Handlers } from '../op/operation.ts'
import { page } from '../op/paging.ts'
import { checkMayGrant } from '../op/permissions.ts'
import { present } from '../op/present.ts'
import { timeRange } from '../op/time-range.ts'
import { findPlatform, platformChanged, platformIsOpen } from '../platforms/platforms.ts'
import { selectManagingTokens, selectToken, selectTokens } from './store.ts'
import { deleteToken, makeApiToken } from './tokens.ts'

export const tokenHandlers: Handlers<typeof tokens> = {
  token_create: async (op, { body }) => {
    checkMayGrant(op, effectivePermissions(body.permissions))
    const platform = await findPlatform(op)
    const { row, clientSecret, write } = makeApiToken(op, op.platform.id, body.name, body.permissions)
    return {
      status: 201,
      body: { ...tokenView(row), clientSecret },
      writes: [platformIsOpen(platform), write],
    }
  },

  token_list: async (op, { query }) => ({
    status: 200,
    body: await page(op, query, {
      rows: selectTokens(op.read, op.platform.id, { ...present({ name: query.name }), ...timeRange(query) }),
      table: 'api_tokens',
      view: (rows) => rows.map(tokenView),
    }),
  }),

  token_get: async (op, { params }) => ({
    status: 200,
    body: tokenView(await findToken(op, params.tokenId)),
  }),

  token_delete: async (op, { params }) => {
    const token = await findToken(op, params.tokenId)
    const manages = token.permissions.includes('MANAGE')
    // Reads the platform first, because its version guards the later reads.
    const platform = await findPlatform(op)
    if (manages && (await selectManagingTokens(op.read, op.platform.id)).length === 1)
      throw fieldError('INVALID_INPUT', 'tokenId', 'The last token that can manage tokens cannot be deleted')
    return {
      status: 204,
      body: undefined,
      writes: [
        deleteToken(token, op.now),
        // Guards that, of the last two deleted at the same time, one stays.
        ...(manages ? [platformChanged(op, platform)] : []),
      ],
    }
  },
}

async function findToken(op: Op, id: string): Promise<TokenRow> {
  const token = await selectToken(op.read, op.platform.id, id)
  if (!token) throw new ApiError('TOKEN_NOT_FOUND', { details: { field: 'tokenId' } })
  return token
}

function tokenView(row: TokenRow) {
  return {
    id: row.id,
    name: row.name,
    permissions: row.permissions,
    clientId: row.client_id,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
