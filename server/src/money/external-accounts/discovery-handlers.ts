import type { discoveries } from '@countersign/contract/accounts/discoveries'
import { findInstitutions } from '@countersign/contract/accounts/institutions'
import type { Handlers } from '../../kernel/operation/operation.ts'

export const discoveryHandlers: Handlers<typeof discoveries> = {
  discovery_list: async (_, { query }) => ({ status: 200, body: { data: [...findInstitutions(query)] } }),
}
