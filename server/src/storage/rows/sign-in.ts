/** The count of a wallet, whose id is this row's. */
export interface CodeFailuresRow {
  id: string
  platform_id: string
  /** Wrong codes in a row. */
  failures: number
  locked_at: Date | null
}

export interface MessageCountRow {
  platform_id: string
  /** Empty: all recipients of the platform together. */
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
