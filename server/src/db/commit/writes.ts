import type { EventType } from '@countersign/contract/events/events'
import type { NewJob } from '../schema/job-tables.ts'
import type { Tables } from '../schema/tables.ts'

/**
 * What an operation wants written. A write set is an array of these; it happens whole, in one database transaction, or
 * not at all. Each write carries its own guard, which the database checks at commit
 * (`functions/write-*.ts`, `functions/ledger-*.ts`): `insert` the unique constraints, `update`, `expect` and `remove` the row
 * as expected, `hold` and `post` the balance.
 */
export type Write =
  | InsertWrite
  | {
      readonly write: 'update'
      readonly table: RecordTable
      readonly id: string
      readonly expect: Record<string, unknown>
      readonly set: Record<string, unknown>
    }
  | {
      readonly write: 'expect'
      readonly table: RecordTable
      readonly id: string
      readonly expect: Record<string, unknown>
    }
  | { readonly write: 'remove'; readonly table: 'jobs'; readonly id: string }
  | { readonly write: 'keep'; readonly row: Record<string, unknown> }
  | EventWrite
  | LedgerWrite

/**
 * The tables that `insert`, `update` and `expect` may name: the ledger's and the outbox have writes of their own, the
 * sums of what agents spend follow from `agent_reservations`, and messages are counted before they are written.
 */
export type RecordTable = Exclude<
  keyof Tables,
  `ledger_${string}` | 'events' | 'agent_budgets' | 'message_counts'
>

export interface InsertWrite {
  readonly write: 'insert'
  readonly table: RecordTable
  readonly row: Record<string, unknown>
  /** Of due work: what it is, with what whoever wrote it has read, for the case that this process does it at once. */
  readonly due?: NewJob
}

export interface EventWrite {
  readonly write: 'event'
  readonly id: string
  readonly platformId: string
  readonly type: EventType
  readonly objectId: string
  readonly data: unknown
  /** The account whose balances the data is to show, as they are when this is written. */
  readonly balanceOf?: string
  /** The due work that delivers it, written right after it. */
  readonly delivery?: Write
  readonly at: Date
}

/** The ledger's writes. Only `ledger/` makes them. */
export type LedgerWrite =
  | {
      readonly write: 'open'
      readonly id: string
      readonly platformId: string
      readonly owner: string
      readonly currency: string
      readonly normalSide: 'debit' | 'credit'
      readonly mayOverdraw: boolean
    }
  | { readonly write: 'close'; readonly owner: string }
  | ({ readonly write: 'post'; readonly entries: readonly LedgerEntry[] } & Caused)
  | ({ readonly write: 'hold'; readonly account: string; readonly amount: bigint } & Caused)
  | {
      readonly write: 'capture'
      readonly hold: string
      readonly account: string
      readonly amount: bigint
      /** Release what is left of the hold. */
      readonly final: boolean
      readonly at: Date
    }
  | { readonly write: 'void'; readonly hold: string; readonly account: string; readonly at: Date }

/** A line of a transfer: a credit is positive, a debit negative. */
export interface LedgerEntry {
  readonly account: string
  readonly amount: bigint
}

/** Every movement leads back to what caused it. */
interface Caused {
  readonly id: string
  readonly platformId: string
  readonly cause: string
  readonly causeId: string
  readonly at: Date
}

/** Adds a row, complete: what is absent would be null. Guard: the table's unique constraints. */
export function insert<T extends RecordTable>(table: T, row: Tables[T]): InsertWrite {
  return { write: 'insert', table, row: encoded(row) }
}

/** The same row with some other values. */
export function withValues(write: InsertWrite, values: object): InsertWrite {
  return { ...write, row: { ...write.row, ...encoded(values) } }
}

/** Keeps an answer under its idempotency key. Guard: the key is not taken, or was and has expired by `created_at`. */
export function keep(row: Tables['idempotency_keys']): Write {
  return { write: 'keep', row: encoded(row) }
}

/** Changes members of one row. Guard: the row exists and its members are as `expect` says. */
export function update<T extends RecordTable>(
  table: T,
  id: string,
  expect: Partial<Tables[T]>,
  set: Partial<Tables[T]>,
): Write {
  return { write: 'update', table, id, expect: encoded(expect), set: encoded(set) }
}

/** Changes nothing. Guard: the row exists and is as `expect` says until the write set is committed. */
export function expectRow<T extends RecordTable>(table: T, id: string, expect: Partial<Tables[T]>): Write {
  return { write: 'expect', table, id, expect: encoded(expect) }
}

/** bytea travels as PostgreSQL's hex form, a time as ISO 8601, everything else as JSON has it. */
function encoded(row: object): Record<string, unknown> {
  const values: Record<string, unknown> = { ...row }
  for (const column in values) {
    const value = values[column]
    if (value instanceof Date) values[column] = timeText(value)
    else if (value instanceof Uint8Array) values[column] = `\\x${Buffer.from(value).toString('hex')}`
  }
  return values
}

let lastTime: Date | undefined
let lastText = ''

/** A time as ISO 8601. Nearly all writes of an operation are of one time. */
export function timeText(time: Date): string {
  if (time !== lastTime) {
    lastText = time.toISOString()
    lastTime = time
  }
  return lastText
}
