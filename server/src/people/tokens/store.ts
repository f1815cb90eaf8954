import { sql } from 'kysely'
import type { TimeRange } from '../../kernel/operation/time-range.ts'
import { BARE_PLATFORM } from '../../storage/read/bare-platform.ts'
import { type Lookup, lookupByKey } from '../../storage/read/lookup.ts'
import type { Read } from '../../storage/read/read.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { BarePlatformRow, TokenRow } from '../../storage/rows/tables.ts'

export interface TokenFilters extends TimeRange {
  readonly name?: string
}

type AuthenticatingToken = Pick<TokenRow, 'id' | 'name' | 'permissions' | 'secret_hash'>

const WITH_PLATFORM_BY_ID = lookupByKey<
  BarePlatformRow & Omit<AuthenticatingToken, 'id' | 'name'> & { token_id: string; token_name: string }
>(
  `SELECT ${BARE_PLATFORM}, t.id AS token_id, t.name AS token_name, t.permissions, t.secret_hash
   FROM api_tokens t JOIN platforms p ON p.id = t.platform_id
   WHERE t.id = ANY ($1::uuid[]) AND t.deleted_at IS NULL AND p.closed_at IS NULL`,
  'token_id',
)

/**
 * Finds an active token and its platform in one statement, because every request starts with it.
 */
export async function selectTokenWithPlatform(
  lookup: Lookup,
  id: string,
): Promise<{ token: AuthenticatingToken; platform: BarePlatformRow } | undefined> {
  const row = await lookup(WITH_PLATFORM_BY_ID, id)
  if (!row) return undefined
  const { token_id, token_name, permissions, secret_hash, ...platform } = row
  return { token: { id: token_id, name: token_name, permissions, secret_hash }, platform }
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

/** All tokens of a platform, oldest first. */
export async function selectPlatformTokens(read: Read, platformId: string): Promise<TokenRow[]> {
  return selectTokens(read, platformId, {}).orderBy('created_at').orderBy('id').execute()
}

/** A member's active tokens, oldest first. */
export async function selectMemberTokens(
  read: Read,
  platformId: string,
  memberId: string,
): Promise<TokenRow[]> {
  return read
    .selectFrom('api_tokens')
    .selectAll()
    .where('platform_id', '=', platformId)
    .where('maker_member_id', '=', memberId)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** The ids of the active tokens that have the permission to manage the platform. */
export async function selectManagingTokens(read: Read, platformId: string): Promise<string[]> {
  const rows = await read
    .selectFrom('api_tokens')
    .select('id')
    .where('platform_id', '=', platformId)
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`'MANAGE' = ANY (permissions)`)
    .execute()
  return rows.map(({ id }) => id)
}

/** A page of the matching tokens. */
export function selectTokens(read: Read, platformId: string, filters: TokenFilters) {
  const { name, createdAfter, createdBefore, updatedAfter, updatedBefore } = filters
  return read
    .selectFrom('api_tokens')
    .selectAll()
    .where('platform_id', '=', platformId)
    .where('deleted_at', 'is', null)
    .$call((q) => whereIfDefined(q, 'name', '=', name))
    .$call((q) => whereIfDefined(q, 'created_at', '>', createdAfter))
    .$call((q) => whereIfDefined(q, 'created_at', '<', createdBefore))
    .$call((q) => whereIfDefined(q, 'updated_at', '>', updatedAfter))
    .$call((q) => whereIfDefined(q, 'updated_at', '<', updatedBefore))
}
