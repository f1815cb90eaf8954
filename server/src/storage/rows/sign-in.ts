import type { Stamped } from './stamped.ts'

/** Wrong codes entered for a wallet. The row's id is the wallet's. */
export interface CodeFailuresRow {
  id: string
  platform_id: string
  /** The number of wrong codes in a row. */
  failures: number
  locked_at: Date | null
}

export interface MessageCountRow {
  platform_id: string
  /** Empty for the total of all recipients of the platform. */
  recipient: string
  hour: Date
  in_hour: number
  day: Date
  in_day: number
}

export interface OtpChallengeRow {
  id: string
  platform_id: string
  credential_id: string
  target_public_key: string
  sealed_target_key: Uint8Array
  code_mac: Uint8Array
  tries: number
  expires_at: Date
  consumed_at: Date | null
  created_at: Date
}

export interface MessageRow extends Stamped {
  id: string
  platform_id: string
  channel: 'EMAIL' | 'SMS'
  state: 'QUEUED' | 'DELIVERED' | 'FAILED'
  recipient: string
  customer_id: string | null
  /**
   * Each kind of message sets its own columns: a sign-in code of a wallet these three, a contact verification
   * code `contact_code_id`, a team member's sign-in code `member_code_id`, and a notice to a team member,
   * which has no code, `member_id`.
   */
  account_id: string | null
  credential_id: string | null
  challenge_id: string | null
  contact_code_id: string | null
  member_code_id: string | null
  member_id: string | null
  subject: string | null
  /** `MessageContent` sealed by the enclave. Null once the message was sent or has failed. */
  sealed_content: Uint8Array | null
  attempts: number
  failure_reason: 'EXPIRED' | 'REPLACED' | 'REFUSED' | null
  expires_at: Date
  delivered_at: Date | null
}
