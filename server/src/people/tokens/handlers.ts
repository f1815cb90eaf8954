import type { tokens } from '@countersign/contract/auth/tokens'
import { listEffectivePermissions } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, type Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { checkMayGrant } from '../../kernel/operation/permissions.ts'
import { parseTimeRange } from '../../kernel/operation/time-range.ts'
import type { TokenRow } from '../../storage/rows/tables.ts'
import { findPlatform, guardPlatformOpen } from '../platforms/platforms.ts'
import { selectToken, selectTokens } from './store.ts'
import { endTokens, findMemberBehind, makeApiToken, toTokenView } from './tokens.ts'

export const tokenHandlers: Handlers<typeof tokens> = {
  token_create: async (op, { body }) => {
    checkMayGrant(op, listEffectivePermissions(body.permissions))
    const platform = await findPlatform(op)
    const { row, clientSecret, write } = makeApiToken(
      op,
      op.platform.id,
      body.name,
      body.permissions,
      await findMemberBehind(op),
    )
    return {
      status: 201,
      body: { ...toTokenView(row), clientSecret },
      writes: [guardPlatformOpen(platform), write],
    }
  },

  token_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectTokens(op.read, op.platform.id, {
        ...present({ name: query.name }),
        ...parseTimeRange(query),
      }),
      table: 'api_tokens',
      view: (rows) => rows.map(toTokenView),
    }),
  }),

  token_get: async (op, { params }) => ({
    status: 200,
    body: toTokenView(await findToken(op, params.tokenId)),
  }),

  token_delete: async (op, { params }) => {
    const token = await findToken(op, params.tokenId)
    return { status: 204, body: undefined, writes: await endTokens(op, [token], 'tokenId') }
  },
}

async function findToken(op: Op, id: string): Promise<TokenRow> {
  const token = await selectToken(op.read, op.platform.id, id)
  if (!token) throw new ApiError('TOKEN_NOT_FOUND', { details: { field: 'tokenId' } })
  return token
}
