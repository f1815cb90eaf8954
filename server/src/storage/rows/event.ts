import type { EventType } from '@countersign/contract/events/events'

/** An account as events show it, but for its balances. */
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
  /** The number of the transaction that wrote it, which orders the feed; 64 bits as text. */
  committed_in: string
}

/** An event of an account of the ledger has its record, and the balances, in place of data. */
export interface StoredEventRow extends Omit<EventRow, 'data'> {
  data: string | null
  record: Uint8Array | null
  available: bigint | null
  posted: bigint | null
  /** The trace of its cause, where traces are made. */
  traceparent: string | null
}
