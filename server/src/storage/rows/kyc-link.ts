/** A link to the verification page of a customer. Its address is not stored. */
export interface KycLinkRow {
  id: string
  platform_id: string
  customer_id: string
  redirect_uri: string | null
  created_at: Date
  expires_at: Date
  /** When it was opened: it can be opened once. */
  opened_at: Date | null
  /** SHA-256 of the secret in the cookie of whoever has opened it, in hex. */
  session_hash: string | null
  /** When that person was there last. */
  seen_at: Date | null
  /** The files that were sent to the page. */
  uploads: number
}
