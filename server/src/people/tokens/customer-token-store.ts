import type { CustomerPermission } from '@countersign/contract/auth/customer-tokens'
import type { Op } from '../../kernel/operation/app.ts'
import { BARE_PLATFORM } from '../../storage/read/bare-platform.ts'
import { type Lookup, lookupByKey } from '../../storage/read/lookup.ts'
import type { CustomerTokenRow } from '../../storage/rows/customer-token.ts'
import type { BarePlatformRow } from '../../storage/rows/tables.ts'

type FoundToken = BarePlatformRow & {
  customer_token_id: string
  customer_id: string
  permissions: CustomerPermission[]
  expires_at: Date
  secret_hash: string
}

const BY_HASH = lookupByKey<FoundToken>(
  `SELECT ${BARE_PLATFORM}, t.id AS customer_token_id, t.customer_id, t.permissions, t.expires_at, t.secret_hash
   FROM customer_tokens t
   LEFT JOIN api_tokens a ON a.id = t.token_id
   LEFT JOIN members m ON m.id = t.member_id
   JOIN customers c ON c.id = t.customer_id
   JOIN platforms p ON p.id = t.platform_id
   WHERE t.secret_hash = ANY ($1::text[]) AND t.revoked_at IS NULL AND a.deleted_at IS NULL
     AND (m.id IS NULL OR (m.state = 'ACTIVE' AND t.permissions <@ m.permissions))
     AND c.deleted_at IS NULL AND p.closed_at IS NULL`,
  'secret_hash',
)

/**
 * Finds a token and its platform in one statement, because every request with a customer token starts with
 * it.
 */
export async function selectCustomerToken(lookup: Lookup, secretHash: string) {
  const row = await lookup(BY_HASH, secretHash)
  if (!row) return undefined
  const { customer_token_id, customer_id, permissions, expires_at, secret_hash: _, ...platform } = row
  return {
    platform,
    customerTokenId: customer_token_id,
    customerId: customer_id,
    permissions,
    expiresAt: expires_at,
  }
}

/** A token that is not revoked. */
export async function selectCustomerTokenById(op: Op, id: string): Promise<CustomerTokenRow | undefined> {
  return op.read
    .selectFrom('customer_tokens')
    .selectAll()
    .where('id', '=', id)
    .where('platform_id', '=', op.platform.id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
}
