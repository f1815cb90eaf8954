import { keysOf, tableOf } from '@countersign/contract/core/objects'
import { numberIn } from './number-in.ts'

/** What is removed some days after it was written or ended, with the setting that says how many: by default, and at the least. */
const KINDS = {
  /** Messages with codes: to whom, when, and whether they arrived. The codes' own records too. */
  messages: { setting: 'MESSAGES_DAYS', otherwise: 365, least: 30 },
  /** Attempts to deliver webhooks, with the beginnings of answers. Events and their outcomes stay. */
  webhookAttempts: { setting: 'WEBHOOK_ATTEMPTS_DAYS', otherwise: 365, least: 30 },
  /** What was to be signed and never was. What was signed says who allowed a payment, and stays. */
  unsignedRequests: { setting: 'UNSIGNED_REQUESTS_DAYS', otherwise: 365, least: 30 },
  /** Decisions of agents' policies that nothing came of. The others explain a payment, and stay. */
  deniedDecisions: { setting: 'DENIED_DECISIONS_DAYS', otherwise: 1825, least: 30 },
  /** Answers for repeats, by their idempotency keys. */
  keptAnswers: { setting: 'IDEMPOTENCY_KEYS_DAYS', otherwise: 30, least: 1 },
  /**
   * What identifies a customer after its deletion, whatever is asked: laws against money laundering commonly want it kept for five
   * years.
   */
  personalData: { setting: 'PERSONAL_DATA_DAYS', otherwise: 1825, least: 0 },
} as const satisfies Record<string, { setting: string; otherwise: number; least: number }>

const DAYS_MAX = 36_500

export type RetentionKind = keyof typeof KINDS

/** For how many days the server keeps what nobody needs for the books. */
export type Retention = Readonly<Record<RetentionKind, number>>

/** Throws ConfigError. */
export function readRetention(env: Readonly<Record<string, string | undefined>>): Retention {
  return tableOf(keysOf(KINDS), (kind) => {
    const { setting, least, otherwise } = KINDS[kind]
    return numberIn(env, setting, { least, most: DAYS_MAX, otherwise })
  })
}
