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
  /** The number of the transaction that wrote it, which orders the feed; 64 bits, as a string. */
  committed_in: string
}

/** Events of ledger accounts have their record and the balances instead of data. */
export interface StoredEventRow extends Omit<EventRow, 'data'> {
  data: string | null
  record: Uint8Array | null
  available: bigint | null
  posted: bigint | null
  /** The trace of its cause, where traces are made. */
  traceparent: string | null
}
