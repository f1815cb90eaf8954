/** A link to a customer's verification page. Its URL is not stored. */
export interface KycLinkRow {
  id: string
  platform_id: string
  customer_id: string
  redirect_uri: string | null
  created_at: Date
  expires_at: Date
  /** When the link was opened. It can be opened once. */
  opened_at: Date | null
  /** SHA-256 in hex of the secret in the visitor's cookie. */
  session_hash: string | null
  /** When the visitor sent the last request. */
  seen_at: Date | null
  /** The number of files uploaded on the page. */
  uploads: number
}
