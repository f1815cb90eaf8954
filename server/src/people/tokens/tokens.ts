import { createHash, timingSafeEqual } from 'node:crypto'
import { listEffectivePermissions, type Permission } from '@countersign/contract/core/endpoint'
import { newId, type Op } from '../../kernel/operation/app.ts'
import { createFieldError } from '../../kernel/operation/operation.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { Lookup } from '../../storage/read/lookup.ts'
import type { Read } from '../../storage/read/read.ts'
import type { TokenRow } from '../../storage/rows/tables.ts'
import { findPlatform, markPlatformChanged } from '../platforms/platforms.ts'
import {
  selectManagingTokens,
  selectMemberTokens,
  selectPlatformTokens,
  selectToken,
  selectTokenWithPlatform,
} from './store.ts'

const SECRET_BYTES = 32
const ID_PREFIX = 'Token:'

/**
 * A new token and its secret. Only a hash is stored, so the secret appears only in the response that creates
 * the token.
 */
export interface NewToken {
  readonly row: TokenRow
  readonly clientSecret: string
  readonly write: Write
}

/** Creates a token with a random 256-bit secret, which is long enough to need no slow hash. */
export function makeApiToken(
  from: { readonly now: Date; readonly random: (bytes: number) => Uint8Array },
  platformId: string,
  name: string,
  permissions: readonly Permission[],
  makerMemberId: string | null = null,
): NewToken {
  const clientSecret = Buffer.from(from.random(SECRET_BYTES)).toString('base64url')
  const id = newId('Token', from.now)
  const row: TokenRow = {
    id,
    platform_id: platformId,
    client_id: id.slice(ID_PREFIX.length),
    name,
    permissions: [...permissions],
    secret_hash: hashSecret(clientSecret),
    created_at: from.now,
    updated_at: from.now,
    deleted_at: null,
    maker_member_id: makerMemberId,
  }
  return { row, clientSecret, write: insert('api_tokens', row) }
}

/** Finds the member behind a request: the caller, or the member who created the caller's token. */
export async function findMemberBehind(op: Op): Promise<string | null> {
  const { actor } = op
  if (actor.kind === 'member') return actor.memberId
  if (actor.kind !== 'token') return null
  return (await selectToken(op.read, op.platform.id, actor.tokenId))?.maker_member_id ?? null
}

/** Finds the permissions of a token. Undefined if the token was deleted. */
export async function findTokenPermissions(op: Op, id: string): Promise<readonly Permission[] | undefined> {
  const token = await selectToken(op.read, op.platform.id, id)
  return token && listEffectivePermissions(token.permissions)
}

/** Finds the tokens that a member has created, directly or through another token. */
export async function findMemberTokens(op: Op, memberId: string): Promise<TokenRow[]> {
  return selectMemberTokens(op.read, op.platform.id, memberId)
}

/**
 * Deletes tokens. Throws 400 `INVALID_INPUT` if no token with the permission `MANAGE` would remain. The guard
 * covers concurrent deletions.
 */
export async function endTokens(
  op: Op,
  tokens: readonly TokenRow[],
  field: string,
): Promise<readonly Write[]> {
  // Read the platform first: its version guards the reads below.
  const platform = await findPlatform(op)
  const endedIds = new Set(tokens.map(({ id }) => id))
  const hasManager = tokens.some(({ permissions }) => permissions.includes('MANAGE'))
  if (hasManager && (await selectManagingTokens(op.read, op.platform.id)).every((id) => endedIds.has(id)))
    throw createFieldError('INVALID_INPUT', field, 'The last token that can manage tokens cannot be deleted.')
  return [
    ...tokens.map((token) => deleteToken(token, op.now)),
    // Of two concurrent requests that delete the last two such tokens, one fails.
    ...(hasManager ? [markPlatformChanged(op, platform)] : []),
  ]
}

/** Converts a token to its API form. */
export function toTokenView(row: TokenRow) {
  return {
    id: row.id,
    name: row.name,
    permissions: row.permissions,
    clientId: row.client_id,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** Lists all tokens of a platform, as the operator's command shows them. */
export async function listTokens(read: Read, platformId: string) {
  const rows = await selectPlatformTokens(read, platformId)
  return rows.map(({ id, name, permissions, created_at }) => ({
    id,
    name,
    permissions,
    createdAt: created_at.toISOString(),
  }))
}

/** Deletes a token. Guard: it is active. */
export function deleteToken({ id }: Pick<TokenRow, 'id'>, at: Date): Write {
  return update('api_tokens', id, { deleted_at: null }, { deleted_at: at, updated_at: at })
}

/** Finds a token by its id, or by its client id, which is the id without the kind. */
export async function findTokenWithPlatform(
  lookup: Lookup,
  user: string,
): ReturnType<typeof selectTokenWithPlatform> {
  return selectTokenWithPlatform(lookup, user.startsWith(ID_PREFIX) ? user : `${ID_PREFIX}${user}`)
}

const UNKNOWN_SECRET_HASH = Buffer.alloc(32)

/**
 * Finds a token and checks its secret. Undefined if either is wrong. The comparison takes constant time even
 * if the token does not exist.
 */
export async function authenticateToken(
  lookup: Lookup,
  user: string,
  clientSecret: string,
): ReturnType<typeof selectTokenWithPlatform> {
  const tokenWithPlatform = await findTokenWithPlatform(lookup, user)
  const hasSecret = timingSafeEqual(
    hashSecret(clientSecret),
    tokenWithPlatform?.token.secret_hash ?? UNKNOWN_SECRET_HASH,
  )
  return hasSecret ? tokenWithPlatform : undefined
}

function hashSecret(clientSecret: string): Buffer {
  return createHash('sha256').update(clientSecret).digest()
}
