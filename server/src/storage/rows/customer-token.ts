import type { CustomerPermission } from '@countersign/contract/auth/customer-tokens'

/** A bearer token of one customer. Only its hash is stored. */
export interface CustomerTokenRow {
  id: string
  platform_id: string
  customer_id: string
  /** The API token or team member that created it. If its creator becomes invalid, so does the token. */
  token_id: string | null
  member_id: string | null
  permissions: CustomerPermission[]
  /** SHA-256 of the token in hex. */
  secret_hash: string
  expires_at: Date
  created_at: Date
  revoked_at: Date | null
}
