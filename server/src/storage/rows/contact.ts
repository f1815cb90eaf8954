/** A code sent to a contact of a customer. A customer has at most one valid code per channel. */
export interface ContactCodeRow {
  id: string
  platform_id: string
  customer_id: string
  channel: 'EMAIL' | 'SMS'
  /** The email address or phone number that the code was sent to and verifies. */
  contact: string
  /** A keyed digest. The code itself is not stored. */
  code_mac: Uint8Array
  tries: number
  expires_at: Date
  /** When the code was used, or replaced by a later one. */
  ended_at: Date | null
  created_at: Date
}
