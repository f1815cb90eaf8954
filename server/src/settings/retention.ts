import { numberIn } from './number-in.ts'

/** For how many days the server keeps what nobody needs for the books. */
export interface Retention {
  /** Messages with codes: to whom, when, and whether they arrived. */
  readonly messageDays: number
  /** Attempts to deliver webhooks, with the beginnings of answers. Events and their outcomes stay. */
  readonly webhookAttemptDays: number
  /** For how long after its deletion what identifies a customer is kept, whatever is asked. */
  readonly personalDataDays: number
}

/** Every delivery has ended by then, and every code has expired. */
const DAYS_MIN = 30
const DAYS_MAX = 36_500
const DAYS_DEFAULT = 365
/** Laws against money laundering commonly ask for five years. */
const PERSONAL_DAYS_DEFAULT = 1825

/** Throws ConfigError. */
export function readRetention(env: Readonly<Record<string, string | undefined>>): Retention {
  const read = (name: string) =>
    numberIn(env, name, { least: DAYS_MIN, most: DAYS_MAX, otherwise: DAYS_DEFAULT })
  const personal = { least: 0, most: DAYS_MAX, otherwise: PERSONAL_DAYS_DEFAULT }
  return {
    messageDays: read('MESSAGES_DAYS'),
    webhookAttemptDays: read('WEBHOOK_ATTEMPTS_DAYS'),
    personalDataDays: numberIn(env, 'PERSONAL_DATA_DAYS', personal),
  }
}
