/** Of a wallet, whose id is this row's. */
export interface CodeFailuresRow {
  id: string
  platform_id: string
  /** Wrong codes in a row. */
  failures: number
  locked_at: Date | null
}

export interface MessageCountRow {
  platform_id: string
  /** Empty: all of the platform's together. */
  recipient: string
  hour: Date
  in_hour: number
  day: Date
  in_day: number
}
