import { createHash } from 'node:crypto'
import {
  CUSTOMER_TOKEN_SECONDS,
  CUSTOMER_TOKEN_SECONDS_MAX,
  type CustomerPermission,
  type customer_token_create,
} from '@countersign/contract/auth/customer-tokens'
import type { BodyOf } from '@countersign/contract/core/endpoint'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { createFieldError } from '../../kernel/operation/operation.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { Lookup } from '../../storage/read/lookup.ts'
import type { CustomerTokenRow } from '../../storage/rows/customer-token.ts'
import type { BarePlatformRow } from '../../storage/rows/tables.ts'
import { selectCustomerToken } from './customer-token-store.ts'

/** The prefix that distinguishes a customer token from an agent's token. */
export const CUSTOMER_TOKEN_PREFIX = 'csc_'
const TOKEN_BYTES = 32

/** The creator of the token: an API token or a member. The token stops working when its maker is deleted. */
export type Maker = { readonly token_id: string } | { readonly member_id: string }

/** Creates a token. Only its hash is stored, so it appears only in the response that creates it. */
export function makeCustomerToken(
  op: Op,
  maker: Maker,
  { customerId, permissions, expiresAt }: BodyOf<typeof customer_token_create>,
): { readonly row: CustomerTokenRow; readonly accessToken: string; readonly write: Write } {
  const accessToken = `${CUSTOMER_TOKEN_PREFIX}${Buffer.from(op.random(TOKEN_BYTES)).toString('base64url')}`
  const row: CustomerTokenRow = {
    id: op.newId('CustomerToken'),
    platform_id: op.platform.id,
    customer_id: customerId,
    token_id: null,
    member_id: null,
    ...maker,
    permissions: [...permissions],
    secret_hash: hashToken(accessToken),
    expires_at: resolveExpiry(op, expiresAt),
    created_at: op.now,
    revoked_at: null,
  }
  return { row, accessToken, write: insert('customer_tokens', row) }
}

/** Resolves the expiry of a token. Throws 400 for a time in the past or too far in the future. */
function resolveExpiry({ now }: Op, requested: string | undefined): Date {
  if (requested === undefined) return addSeconds(now, CUSTOMER_TOKEN_SECONDS)
  const field = 'expiresAt'
  const expiry = new Date(requested)
  if (expiry <= now) throw createFieldError('INVALID_INPUT', field, `${field} must be in the future`)
  if (expiry > addSeconds(now, CUSTOMER_TOKEN_SECONDS_MAX))
    throw createFieldError('INVALID_INPUT', field, `${field} must be at most an hour from now`)
  return expiry
}

/** The customer that a token authenticates. */
export interface CustomerAuthentication {
  readonly platform: BarePlatformRow
  readonly customerTokenId: string
  readonly customerId: string
  readonly permissions: readonly CustomerPermission[]
}

/**
 * Finds the customer of a bearer token; `now` is the real time. Undefined if the token is unknown, revoked or
 * expired by the platform's clock, if its customer, platform or maker no longer exists, or if its maker has
 * lost one of the token's permissions.
 */
export async function authenticateCustomerToken(
  lookup: Lookup,
  accessToken: string,
  now: Date,
): Promise<CustomerAuthentication | undefined> {
  const storedToken = await selectCustomerToken(lookup, hashToken(accessToken))
  if (!storedToken) return undefined
  const { expiresAt, ...caller } = storedToken
  const platformMs = now.getTime() + Number(caller.platform.clock_offset_ms)
  return expiresAt.getTime() > platformMs ? caller : undefined
}

/** The SHA-256 hash in hex. A fast hash is enough for a random token of 256 bits. */
function hashToken(accessToken: string): string {
  return createHash('sha256').update(accessToken).digest('hex')
}
