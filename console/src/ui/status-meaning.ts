import { keysOf } from '@countersign/contract/core/objects'
/** A state's meaning to the reader. */
export type Meaning = 'done' | 'moving' | 'waits' | 'failed' | 'ended'

/** The meaning of each state, for all kinds of records. States not listed here mean `moving`. */
const MEANINGS: Readonly<Record<Exclude<Meaning, 'moving'>, readonly string[]>> = {
  done: [
    'COMPLETED',
    'APPROVED',
    'ACTIVE',
    'DELIVERED',
    'SETTLED',
    'CREDITED',
    'RELEASED',
    'MATCHED',
    'VERIFIED',
    'CONNECTED',
    'ALLOWED',
    'CLEARED',
    'CLAIMED',
    'CLOSED_WITHOUT_DIFFERENCES',
    'AVAILABLE',
    'APPLIED',
    'BALANCED',
    'POSTED',
    'RESOLVED',
    'REFUND_COMPLETED',
    'ENABLED',
    'SENT',
    'OK',
  ],
  waits: [
    'PENDING',
    'PENDING_APPROVAL',
    'PENDING_REVIEW',
    'NEEDS_APPROVAL',
    'APPROVAL_REQUIRED',
    'IN_REVIEW',
    'UNDER_REVIEW',
    'HELD',
    'SUSPENSE',
    'SUSPENDED',
    'RESOLVE_ERRORS',
    'MANUAL_REVIEW',
    'UNRESOLVED',
    'INVITED',
    'PAUSED',
    'FROZEN',
    'HIT',
    'NOT_SET',
    'PENDING_MANUAL_REVIEW',
    'WAITING',
    'READY',
    'AWAITING_APPROVAL',
    'PROPOSED',
    'NEEDS_ATTENTION',
  ],
  failed: [
    'FAILED',
    'REJECTED',
    'DENIED',
    'RETURNED',
    'DIFFERS',
    'BLOCKED',
    'DECLINED',
    'EXCEPTION',
    'ERROR',
    'NOT_AVAILABLE',
    'DIFFERENT',
    'REFUND_FAILED',
    'FUNDING_RETURNED',
    'DISABLED',
    'FAULTY',
    'INACTIVE',
    'MISSED',
  ],
  ended: [
    'EXPIRED',
    'CLOSED',
    'CANCELLED',
    'CANCELED',
    'REVOKED',
    'REMOVED',
    'RETIRED',
    'NONE',
    'DELETED',
    'UNVERIFIED',
    'NOT_SENT',
    'VOIDED',
    'REFUNDED',
    'REVERSED',
    'ENDED',
    'SKIPPED',
    'UNDONE',
  ],
}

const BY_STATE: ReadonlyMap<string, Meaning> = new Map(
  keysOf(MEANINGS).flatMap((meaning) => MEANINGS[meaning].map((state) => [state, meaning] as const)),
)

export function getMeaning(state: string): Meaning {
  return BY_STATE.get(state) ?? 'moving'
}

const ABBREVIATIONS: ReadonlySet<string> = new Set([
  ...[
    'ACH',
    'API',
    'ATM',
    'CSV',
    'EUR',
    'FX',
    'GBP',
    'IBAN',
    'ID',
    'KYB',
    'KYC',
    'LLC',
    'OK',
    'OTP',
    'PIX',
    'SEPA',
    'SMS',
  ],
  ...['SPEI', 'SWIFT', 'UBO', 'UMA', 'UPI', 'URL', 'US', 'USD', 'USDC', 'USDT', 'USDB'],
])

/**
 * Formats a constant for people: `PENDING_APPROVAL` becomes `Pending approval`. Abbreviations stay in
 * capitals, and a dot becomes a colon.
 */
export function formatConstant(state: string): string {
  const words = state
    .replaceAll('.', ': ')
    .split(/[ _]/)
    .map((word) => (ABBREVIATIONS.has(word) ? word : word.toLowerCase()))
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
