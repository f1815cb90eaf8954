import { createHash } from 'node:crypto'
import {
  CUSTOMER_TOKEN_SECONDS,
  CUSTOMER_TOKEN_SECONDS_MAX,
  type CustomerPermission,
  type customer_token_create,
} from '@countersign/contract/auth/customer-tokens'
import type { BodyOf } from '@countersign/contract/core/endpoint'
import { type Op, plusSeconds } from '../../kernel/operation/app.ts'
import { fieldError } from '../../kernel/operation/operation.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { Lookup } from '../../storage/read/lookup.ts'
import type { CustomerTokenRow } from '../../storage/rows/customer-token.ts'
import type { BarePlatformRow } from '../../storage/rows/tables.ts'
import { selectCustomerToken } from './customer-token-store.ts'

/** The prefix of a customer's token, which distinguishes it from an agent's. */
export const CUSTOMER_TOKEN_PREFIX = 'csc_'
const TOKEN_BYTES = 32

/** The maker of a token, which ends with its maker. */
export type Maker = { readonly token_id: string } | { readonly member_id: string }

/** A new token. Only the response to its creation contains it; its hash is stored. */
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
    secret_hash: hashOf(accessToken),
    expires_at: endOf(op, expiresAt),
    created_at: op.now,
    revoked_at: null,
  }
  return { row, accessToken, write: insert('customer_tokens', row) }
}

/** A token's expiry. Error: 400 for a time in the past or too far in the future. */
function endOf({ now }: Op, asked: string | undefined): Date {
  if (asked === undefined) return plusSeconds(now, CUSTOMER_TOKEN_SECONDS)
  const field = 'expiresAt'
  const end = new Date(asked)
  if (end <= now) throw fieldError('INVALID_INPUT', field, `${field} must be in the future`)
  if (end > plusSeconds(now, CUSTOMER_TOKEN_SECONDS_MAX))
    throw fieldError('INVALID_INPUT', field, `${field} may be at most an hour from now`)
  return end
}

/** The customer that a token authenticates. */
export interface CustomerAuthentication {
  readonly platform: BarePlatformRow
  readonly customerTokenId: string
  readonly customerId: string
  readonly permissions: readonly CustomerPermission[]
}

/**
 * The customer of a bearer token; undefined for one that is unknown, revoked or expired by the platform's
 * clock, or whose customer, platform or maker no longer exists, or whose maker has lost one of its
 * permissions. `now` is the real time.
 */
export async function authenticateCustomerToken(
  lookup: Lookup,
  accessToken: string,
  now: Date,
): Promise<CustomerAuthentication | undefined> {
  const found = await selectCustomerToken(lookup, hashOf(accessToken))
  if (!found) return undefined
  const { expiresAt, ...caller } = found
  const platformMs = now.getTime() + Number(caller.platform.clock_offset_ms)
  return expiresAt.getTime() > platformMs ? caller : undefined
}

/** SHA-256 in hex: a token has too much entropy to be found from its hash. */
function hashOf(accessToken: string): string {
  return createHash('sha256').update(accessToken).digest('hex')
}
