import { createHash, timingSafeEqual } from 'node:crypto'
import type { Permission } from '@countersign/contract/core/endpoint'
import { insert, update, type Write } from '../db/commit/writes.ts'
import type { Lookup } from '../db/read/lookup.ts'
import type { Read } from '../db/read/read.ts'
import type { TokenRow } from '../db/schema/tables.ts'
import { newId } from '../op/app.ts'
import { selectTokensOf, selectTokenWithPlatform } from './store.ts'

const SECRET_BYTES = 32
const ID_PREFIX = 'Token:'

/** A new token and its secret. The secret is only in the answer to its creation; its hash is stored. */
export interface NewToken {
  readonly row: TokenRow
  readonly clientSecret: string
  readonly write: Write
}

/** Creates a token of 256 random bits. A random secret of that size needs no slow hash. */
export function makeApiToken(
  from: { readonly now: Date; readonly random: (bytes: number) => Uint8Array },
  platformId: string,
  name: string,
  permissions: readonly Permission[],
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
  }
  return { row, clientSecret, write: insert('api_tokens', row) }
}

/** All tokens of a platform, as the operator's program shows them. */
export async function listTokens(read: Read, platformId: string) {
  const rows = await selectTokensOf(read, platformId)
  return rows.map(({ id, name, permissions, created_at }) => ({
    id,
    name,
    permissions,
    createdAt: created_at.toISOString(),
  }))
}

/** Revokes a token. Guard: it is active. */
export function deleteToken({ id }: Pick<TokenRow, 'id'>, at: Date): Write {
  return update('api_tokens', id, { deleted_at: null }, { deleted_at: at, updated_at: at })
}

/** The token that a caller names, by its id or by its client id, which is the id without its kind. */
export async function findTokenWithPlatform(
  lookup: Lookup,
  user: string,
): ReturnType<typeof selectTokenWithPlatform> {
  return selectTokenWithPlatform(lookup, user.startsWith(ID_PREFIX) ? user : `${ID_PREFIX}${user}`)
}

const NO_SUCH_SECRET = Buffer.alloc(32)

/** The token that a caller names, if its secret is right. Compares in constant time, even where there is no such token. */
export async function authenticateToken(
  lookup: Lookup,
  user: string,
  clientSecret: string,
): ReturnType<typeof selectTokenWithPlatform> {
  const found = await findTokenWithPlatform(lookup, user)
  const isItsOwn = timingSafeEqual(hashSecret(clientSecret), found?.token.secret_hash ?? NO_SUCH_SECRET)
  return isItsOwn ? found : undefined
}

function hashSecret(clientSecret: string): Buffer {
  return createHash('sha256').update(clientSecret).digest()
}
