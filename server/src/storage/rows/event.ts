import type { EventType } from '@countersign/contract/events/events'

/** An account as events show it, without its balances. */
export interface EventRecordRow {
  digest: Uint8Array
  platform_id: string
  text: string
}

export interface EventRow {
  id: string
  position: bigint
  platform_id: string
  type: EventType
  object_id: string
  sequence: number
  /** The record as the API shows it, as JSON. */
  data: string
  created_at: Date
  /** The 64-bit id of the database transaction that wrote it, as a string. It orders the feed. */
  committed_in: string
}

/** Events of ledger accounts store a record and balances instead of `data`. */
export interface StoredEventRow extends Omit<EventRow, 'data'> {
  data: string | null
  record: Uint8Array | null
  available: bigint | null
  posted: bigint | null
  /** The W3C trace context of the request or job that wrote it; null if tracing is off. */
  traceparent: string | null
}
