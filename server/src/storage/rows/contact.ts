/** A code that was sent to a contact of a customer. One of each customer and channel is live: it has not ended. */
export interface ContactCodeRow {
  id: string
  platform_id: string
  customer_id: string
  channel: 'EMAIL' | 'SMS'
  /** The e-mail address or phone number that it was sent to, and that it verifies. */
  contact: string
  /** A keyed digest; the code itself is not stored. */
  code_mac: Uint8Array
  tries: number
  expires_at: Date
  /** When it was used, or replaced by a later one. */
  ended_at: Date | null
  created_at: Date
}
