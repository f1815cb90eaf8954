import { buildTable, keysOf } from '@countersign/contract/core/objects'
import { readInteger } from './number-in.ts'

/**
 * Data removed a number of days after it was written or ended, with the setting, its default and its
 * minimum.
 */
const KINDS = {
  /** Messages with codes (recipients, times and delivery), and the records of the codes. */
  messages: { setting: 'MESSAGES_DAYS', fallback: 365, min: 30 },
  /** Delivery attempts of webhooks, with the beginnings of responses. Events and their outcomes are kept. */
  webhookAttempts: { setting: 'WEBHOOK_ATTEMPTS_DAYS', fallback: 365, min: 30 },
  /**
   * Signing requests that were never signed. Signed ones are kept, because they prove who authorized a
   * payment.
   */
  unsignedRequests: { setting: 'UNSIGNED_REQUESTS_DAYS', fallback: 365, min: 30 },
  /**
   * Decisions of agents' policies that led to no payment. All others are kept, because they explain a
   * payment.
   */
  deniedDecisions: { setting: 'DENIED_DECISIONS_DAYS', fallback: 1825, min: 30 },
  /** Stored idempotent responses. */
  keptAnswers: { setting: 'IDEMPOTENCY_KEYS_DAYS', fallback: 30, min: 1 },
  /**
   * Identifying data of a deleted customer, even if erasure is requested: laws against money laundering
   * commonly require keeping it for five years.
   */
  personalData: { setting: 'PERSONAL_DATA_DAYS', fallback: 1825, min: 0 },
} as const satisfies Record<string, { setting: string; fallback: number; min: number }>

const DAYS_MAX = 36_500

export type RetentionKind = keyof typeof KINDS

/** The number of days for which the server keeps data that the books do not need. */
export type Retention = Readonly<Record<RetentionKind, number>>

/** Throws ConfigError. */
export function readRetention(env: Readonly<Record<string, string | undefined>>): Retention {
  return buildTable(keysOf(KINDS), (kind) => {
    const { setting, min, fallback } = KINDS[kind]
    return readInteger(env, setting, { min, max: DAYS_MAX, fallback })
  })
}
