import type { EventType } from '@countersign/contract/events/events'
import type { NewJob } from '../rows/new-job.ts'
import type { Tables } from '../rows/tables.ts'

/**
 * A write of an operation. A write set is an array of writes, and is committed in one database transaction or
 * not at all. Each write carries its own guard, which the database checks at commit
 * (`functions/commit-together.ts`): unique constraints for `insert`, the row as expected for `update`,
 * `expect` and `remove`, and balances for `transfer` and `end`.
 */
export type Write =
  | InsertWrite
  | UpdateWrite
  | {
      readonly write: 'expect'
      readonly table: RecordTable
      readonly id: string
      readonly expect: Record<string, unknown>
    }
  | { readonly write: 'remove'; readonly table: 'jobs'; readonly id: string }
  | NewestKeyWrite
  | { readonly write: 'keep'; readonly row: Record<string, unknown> }
  | EventWrite
  | LedgerWrite

/**
 * The tables to which `insert`, `update` and `expect` apply; the ledger (except its checkpoints) and the
 * outbox have their own writes. Database functions maintain the sums of agents' spending from
 * `agent_reservations`, of conversions in progress from `quotes`, and of payments from `velocity_uses`.
 * Messages and wrong codes are counted outside of write sets.
 */
export type RecordTable = Exclude<
  keyof Tables,
  | Exclude<`ledger_${string}` & keyof Tables, 'ledger_checkpoints'>
  | 'events'
  | 'event_records'
  | 'agent_budgets'
  | 'fx_in_flight'
  | 'message_counts'
  | 'invitation_attempts'
  | 'velocity_counters'
>

/**
 * Guard: no data key is newer than this generation. If one is, the commit fails with an internal error, and
 * the process must be restarted with the new master key. Only the enclave creates this write.
 */
export interface NewestKeyWrite {
  readonly write: 'newestKey'
  readonly generation: number
}

export interface InsertWrite {
  readonly write: 'insert'
  readonly table: RecordTable
  readonly row: Record<string, unknown>
  /** The row in the form in which it would be read. */
  readonly values: object
  /** Set if the row is a job. */
  readonly due?: NewJob
  /** True if the job may share its row with jobs of other sets in the batch. */
  readonly shares?: boolean
}

export interface UpdateWrite {
  readonly write: 'update'
  readonly table: RecordTable
  readonly id: string
  readonly expect: Record<string, unknown>
  readonly set: Record<string, unknown>
  /** The new values in the form in which they would be read. */
  readonly values: object
}

export interface EventWrite {
  readonly write: 'event'
  readonly id: string
  readonly platformId: string
  readonly type: EventType
  readonly objectId: string
  /** JSON. The same string is stored and sent. */
  readonly data: string
  /**
   * True for a ledger account, which counts its own events. The balances in `data` are 0 and are replaced
   * with those after this write. Equal data is stored once.
   */
  readonly ofAccount?: true
  /** The trace of the operation that caused the event. */
  readonly traceparent?: string
  readonly at: Date
}

/** The writes of the ledger. Only `ledger/` creates them. */
export type LedgerWrite =
  | {
      readonly write: 'open'
      readonly id: string
      readonly platformId: string
      readonly owner: string
      /** The name of one of the platform's own accounts; null for an internal account. */
      readonly name: string | null
      readonly currency: string
      readonly normalSide: 'debit' | 'credit'
      readonly mayOverdraw: boolean
    }
  | { readonly write: 'close'; readonly owner: string }
  | ({
      readonly write: 'transfer'
      /** A `pending` transfer holds the amount on the debited account. */
      readonly state: 'pending' | 'posted'
      /** The record that caused the transfer. */
      readonly cause: string
      readonly causeId: string
    } & Sides)
  /** Posts or voids a pending transfer. */
  | ({ readonly write: 'end'; readonly state: 'posted' | 'voided' } & Sides)

/** The accounts and amount of a ledger transfer. */
interface Sides {
  readonly id: string
  readonly platformId: string
  readonly debit: string
  readonly credit: string
  readonly currency: string
  readonly amount: bigint
  readonly at: Date
}

/** Inserts a complete row; an absent column would be null. Guard: the unique constraints of the table. */
export function insert<T extends RecordTable>(table: T, row: Tables[T]): InsertWrite {
  return { write: 'insert', table, row: encodeRow(row), values: row }
}

/** Returns the write with some values of its row replaced. */
export function withValues(write: InsertWrite, values: object): InsertWrite {
  return { ...write, row: { ...write.row, ...encodeRow(values) }, values: { ...write.values, ...values } }
}

/** Stores a response under its idempotency key. Guard: the key is not in use, or expired by `created_at`. */
export function keep(row: Tables['idempotency_keys']): Write {
  return { write: 'keep', row: encodeRow(row) }
}

/** Changes columns of one row. Guard: the row exists and matches `expect`. */
export function update<T extends RecordTable>(
  table: T,
  id: string,
  expect: Partial<Tables[T]>,
  set: Partial<Tables[T]>,
): Write {
  return { write: 'update', table, id, expect: encodeRow(expect), set: encodeRow(set), values: set }
}

/** Changes nothing. Guard: the row exists and still matches `expect` when the write set is committed. */
export function expectRow<T extends RecordTable>(table: T, id: string, expect: Partial<Tables[T]>): Write {
  return { write: 'expect', table, id, expect: encodeRow(expect) }
}

/** Encodes values: bytea as PostgreSQL hex, times as ISO 8601, all others as in JSON. */
function encodeRow(row: object): Record<string, unknown> {
  const values: Record<string, unknown> = { ...row }
  for (const column in values) {
    const value = values[column]
    if (value instanceof Date) values[column] = toIsoTime(value)
    else if (value instanceof Uint8Array) values[column] = `\\x${Buffer.from(value).toString('hex')}`
  }
  return values
}

let lastTime = Number.NaN
let lastText = ''

/**
 * Formats a time as ISO 8601. Caches the last one, because nearly all writes of a batch have the same time.
 */
export function toIsoTime(time: Date): string {
  const ms = time.getTime()
  if (ms !== lastTime) {
    lastText = time.toISOString()
    lastTime = ms
  }
  return lastText
}
