import { sql } from 'kysely'
import type { Read } from '../db/read.ts'
import type { PlatformRow, TokenRow } from '../db/tables.ts'

export interface TokenFilters {
  readonly name?: string
  readonly createdAfter?: string
  readonly createdBefore?: string
  readonly updatedAfter?: string
  readonly updatedBefore?: string
}

/** A token that was not deleted, by its id or client id, with its platform. */
export async function selectTokenWithPlatform(
  read: Read,
  user: string,
): Promise<{ token: TokenRow; platform: PlatformRow } | undefined> {
  const token = await read
    .selectFrom('api_tokens')
    .selectAll()
    .where((eb) => eb.or([eb('id', '=', user), eb('client_id', '=', user)]))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!token) return undefined
  const platform = await read
    .selectFrom('platforms')
    .selectAll()
    .where('id', '=', token.platform_id)
    .executeTakeFirstOrThrow()
  return { token, platform }
}

export async function selectToken(read: Read, platformId: string, id: string): Promise<TokenRow | undefined> {
  return read
    .selectFrom('api_tokens')
    .selectAll()
    .where('id', '=', id)
    .where('platform_id', '=', platformId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** The tokens that can manage the platform, up to two. */
export async function selectManagingTokens(read: Read, platformId: string): Promise<string[]> {
  const rows = await read
    .selectFrom('api_tokens')
    .select('id')
    .where('platform_id', '=', platformId)
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`'MANAGE' = ANY (permissions)`)
    .limit(2)
    .execute()
  return rows.map(({ id }) => id)
}

/** The tokens that match, for a page of them. */
export function selectTokens(read: Read, platformId: string, filters: TokenFilters) {
  const { name, createdAfter, createdBefore, updatedAfter, updatedBefore } = filters
  return read
    .selectFrom('api_tokens')
    .selectAll()
    .where('platform_id', '=', platformId)
    .where('deleted_at', 'is', null)
    .$if(name !== undefined, (q) => q.where('name', '=', name!))
    .$if(createdAfter !== undefined, (q) => q.where('created_at', '>', new Date(createdAfter!)))
    .$if(createdBefore !== undefined, (q) => q.where('created_at', '<', new Date(createdBefore!)))
    .$if(updatedAfter !== undefined, (q) => q.where('updated_at', '>', new Date(updatedAfter!)))
    .$if(updatedBefore !== undefined, (q) => q.where('updated_at', '<', new Date(updatedBefore!)))
}
