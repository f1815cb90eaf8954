import { keysOf, tableOf } from '@countersign/contract/core/objects'
import { numberIn } from './number-in.ts'

/** Data removed some days after it was written or ended, with the setting, its default and its minimum. */
const KINDS = {
  /** Messages with codes: recipients, times and delivery. Also the records of the codes. */
  messages: { setting: 'MESSAGES_DAYS', otherwise: 365, least: 30 },
  /** Delivery attempts of webhooks, with the beginnings of responses. Events and their outcomes stay. */
  webhookAttempts: { setting: 'WEBHOOK_ATTEMPTS_DAYS', otherwise: 365, least: 30 },
  /** Signing requests that were never signed. Signed ones prove who authorized a payment, and stay. */
  unsignedRequests: { setting: 'UNSIGNED_REQUESTS_DAYS', otherwise: 365, least: 30 },
  /** Decisions of agents' policies without a payment. The others explain a payment, and stay. */
  deniedDecisions: { setting: 'DENIED_DECISIONS_DAYS', otherwise: 1825, least: 30 },
  /** Stored idempotent responses. */
  keptAnswers: { setting: 'IDEMPOTENCY_KEYS_DAYS', otherwise: 30, least: 1 },
  /**
   * Data that identifies a deleted customer, whatever is requested: laws against money laundering commonly
   * require keeping it for five years.
   */
  personalData: { setting: 'PERSONAL_DATA_DAYS', otherwise: 1825, least: 0 },
} as const satisfies Record<string, { setting: string; otherwise: number; least: number }>

const DAYS_MAX = 36_500

export type RetentionKind = keyof typeof KINDS

/** Days for which the server keeps data that the books do not need. */
export type Retention = Readonly<Record<RetentionKind, number>>

/** Throws ConfigError. */
export function readRetention(env: Readonly<Record<string, string | undefined>>): Retention {
  return tableOf(keysOf(KINDS), (kind) => {
    const { setting, least, otherwise } = KINDS[kind]
    return numberIn(env, setting, { least, most: DAYS_MAX, otherwise })
  })
}
