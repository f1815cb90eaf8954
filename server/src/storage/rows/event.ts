import type { EventType } from '@countersign/contract/events/events'

/** An account as events show it, without balances. */
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
  /** JSON of the record as the API shows it. */
  data: string
  created_at: Date
  /**
   * The 64-bit id of the database transaction that wrote the event, as a string. The feed is ordered by it.
   */
  committed_in: string
}

/** Events of ledger accounts store a record and balances in place of `data`. */
export interface StoredEventRow extends Omit<EventRow, 'data'> {
  data: string | null
  record: Uint8Array | null
  available: bigint | null
  posted: bigint | null
  /** The W3C trace context of the request or job that wrote the event. Null if tracing is disabled. */
  traceparent: string | null
}
