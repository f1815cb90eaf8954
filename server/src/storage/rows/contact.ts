/** A code sent to a contact of a customer. Each customer has at most one live code per channel. */
export interface ContactCodeRow {
  id: string
  platform_id: string
  customer_id: string
  channel: 'EMAIL' | 'SMS'
  /** The email address or phone number that it was sent to and verifies. */
  contact: string
  /** A keyed digest; the code itself is not stored. */
  code_mac: Uint8Array
  tries: number
  expires_at: Date
  /** The time when it was used or replaced by a later code. */
  ended_at: Date | null
  created_at: Date
}
