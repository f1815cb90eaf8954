import type { EventType } from '@countersign/contract/events/events'
import type { NewJob } from '../rows/new-job.ts'
import type { Tables } from '../rows/tables.ts'

/**
 * A write of an operation. A write set is an array of these. It is committed whole, in one database transaction, or not
 * at all. Each write carries its own guard, which the database checks at commit (`functions/write-*.ts`,
 * `functions/ledger-*.ts`): `insert` the unique constraints, `update`, `expect` and `remove` the row as expected,
 * `transfer` and `end` the balances.
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
 * The tables that `insert`, `update` and `expect` may name: the ledger (but its checkpoints) and the outbox have their own writes, the sums
 * of agents' spending follow from `agent_reservations`, those of conversions under way from `quotes`, and messages and wrong codes are counted outside of write sets.
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
>

/**
 * Guard: there is no newer data key than the one of this generation; otherwise the commit is a fault, and the process has to be started
 * again with the new master key. Only the enclave makes it.
 */
export interface NewestKeyWrite {
  readonly write: 'newestKey'
  readonly generation: number
}

export interface InsertWrite {
  readonly write: 'insert'
  readonly table: RecordTable
  readonly row: Record<string, unknown>
  /** The row in the form in which a read returns it. */
  readonly values: object
  /** The due work that the row is. */
  readonly due?: NewJob
  /** Due work that may share its row with that of other sets, which are written by the same call. */
  readonly shares?: boolean
}

export interface UpdateWrite {
  readonly write: 'update'
  readonly table: RecordTable
  readonly id: string
  readonly expect: Record<string, unknown>
  readonly set: Record<string, unknown>
  /** The new values in the form in which a read returns them. */
  readonly values: object
}

export interface EventWrite {
  readonly write: 'event'
  readonly id: string
  readonly platformId: string
  readonly type: EventType
  readonly objectId: string
  /** JSON. The same text is stored and sent. */
  readonly data: string
  /**
   * The object is an account of the ledger, which counts its events: the data shows balances of 0, in whose place are those as
   * of this write. The same text is stored once.
   */
  readonly ofAccount?: true
  /** The trace of its cause. */
  readonly traceparent?: string
  readonly at: Date
}

/** The writes of the ledger. Only `ledger/` makes them. */
export type LedgerWrite =
  | {
      readonly write: 'open'
      readonly id: string
      readonly platformId: string
      readonly owner: string
      /** Of the platform's own accounts. */
      readonly name: string | null
      readonly currency: string
      readonly normalSide: 'debit' | 'credit'
      readonly mayOverdraw: boolean
    }
  | { readonly write: 'close'; readonly owner: string }
  | ({
      readonly write: 'transfer'
      /** `pending` holds the amount of the debited account. */
      readonly state: 'pending' | 'posted'
      /** Every transfer names the record that caused it. */
      readonly cause: string
      readonly causeId: string
    } & Sides)
  /** Posts or voids a pending transfer. */
  | ({ readonly write: 'end'; readonly state: 'posted' | 'voided' } & Sides)

/** A transfer of the ledger: from whom, to whom, how much. */
interface Sides {
  readonly id: string
  readonly platformId: string
  readonly debit: string
  readonly credit: string
  readonly currency: string
  readonly amount: bigint
  readonly at: Date
}

/** Adds a complete row: an absent column would be null. Guard: the table's unique constraints. */
export function insert<T extends RecordTable>(table: T, row: Tables[T]): InsertWrite {
  return { write: 'insert', table, row: encoded(row), values: row }
}

/** The same row with some values changed. */
export function withValues(write: InsertWrite, values: object): InsertWrite {
  return { ...write, row: { ...write.row, ...encoded(values) }, values: { ...write.values, ...values } }
}

/** Stores an answer under its idempotency key. Guard: the key is not in use, or has expired by `created_at`. */
export function keep(row: Tables['idempotency_keys']): Write {
  return { write: 'keep', row: encoded(row) }
}

/** Changes members of one row. Guard: the row exists and matches `expect`. */
export function update<T extends RecordTable>(
  table: T,
  id: string,
  expect: Partial<Tables[T]>,
  set: Partial<Tables[T]>,
): Write {
  return { write: 'update', table, id, expect: encoded(expect), set: encoded(set), values: set }
}

/** Changes nothing. Guard: the row exists and matches `expect` until the write set is committed. */
export function expectRow<T extends RecordTable>(table: T, id: string, expect: Partial<Tables[T]>): Write {
  return { write: 'expect', table, id, expect: encoded(expect) }
}

/** Encodes a value: bytea in PostgreSQL's hex form, a time in ISO 8601, everything else as in JSON. */
function encoded(row: object): Record<string, unknown> {
  const values: Record<string, unknown> = { ...row }
  for (const column in values) {
    const value = values[column]
    if (value instanceof Date) values[column] = timeText(value)
    else if (value instanceof Uint8Array) values[column] = `\\x${Buffer.from(value).toString('hex')}`
  }
  return values
}

let lastTime = Number.NaN
let lastText = ''

/** A time in ISO 8601. Caches the last one, because nearly all writes of a batch have the same time. */
export function timeText(time: Date): string {
  const ms = time.getTime()
  if (ms !== lastTime) {
    lastText = time.toISOString()
    lastTime = ms
  }
  return lastText
}
