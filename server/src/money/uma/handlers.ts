import type { umaProviders } from '@countersign/contract/payments/uma-providers'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { buildPageOfItems } from '../../kernel/operation/paging.ts'
import { findMatchingProviders } from './providers.ts'

export const umaProviderHandlers: Handlers<typeof umaProviders> = {
  uma_provider_list: async (op, { query }) => ({
    status: 200,
    body: buildPageOfItems(op, query, 'uma_providers', findMatchingProviders(op, query), {
      keyOf: ({ domain }) => domain,
      order: query.sortOrder ?? 'desc',
    }),
  }),
}
