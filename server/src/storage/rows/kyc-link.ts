/** A link to a customer's verification page. Its URL is not stored. */
export interface KycLinkRow {
  id: string
  platform_id: string
  customer_id: string
  redirect_uri: string | null
  created_at: Date
  expires_at: Date
  /** Time of the first opening. A link can be opened once. */
  opened_at: Date | null
  /** SHA-256, in hex, of the secret in the visitor's cookie. */
  session_hash: string | null
  /** Time of the visitor's last request. */
  seen_at: Date | null
  /** The number of files uploaded to the page. */
  uploads: number
}
