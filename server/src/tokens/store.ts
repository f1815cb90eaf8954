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

/** A token that was not deleted and its platform, in one statement: every request begins with it. */
export async function selectTokenWithPlatform(
  read: Read,
  id: string,
): Promise<
  { token: Pick<TokenRow, 'id' | 'permissions' | 'secret_hash'>; platform: PlatformRow } | undefined
> {
  const row = await read
    .selectFrom('api_tokens')
    .innerJoin('platforms', 'platforms.id', 'api_tokens.platform_id')
    .selectAll('platforms')
    .select(['api_tokens.id as token_id', 'api_tokens.permissions', 'api_tokens.secret_hash'])
    .where('api_tokens.id', '=', id)
    .where('api_tokens.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  const { token_id, permissions, secret_hash, ...platform } = row
  return { token: { id: token_id, permissions, secret_hash }, platform }
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
