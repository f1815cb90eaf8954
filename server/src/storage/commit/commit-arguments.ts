import { buildTable, keysOf } from '@countersign/contract/core/objects'
import { toJson } from '../../base/json/json.ts'
import { UUID_LENGTH } from '../engine/ids.ts'
import type { Database } from '../engine/port.ts'
import { type BinaryType, type InsertedTable, ROWS, type RowTable } from '../rows/row-columns.ts'
import { encodeBinaryArray, encodeBinaryRows, type RowType } from './binary-array.ts'

/** The name of the argument with the new rows of a table. */
export function toRowsArgument<T extends InsertedTable>(table: T): `${T}_rows` {
  return `${table}_rows`
}

/**
 * The array arguments of `commit_together`, by name, with their element type or table. `batch` and `opens`
 * are not arrays.
 */
const ARGUMENTS = {
  accounts: 'uuid',
  signing_requests_rows: 'signing_requests',
  quotes_rows: 'quotes',
  transactions_rows: 'transactions',
  rail_payments_rows: 'rail_payments',
  rail_events_rows: 'rail_events',
  card_transactions_rows: 'card_transactions',
  card_pull_signatures_rows: 'card_pull_signatures',
  agent_actions_rows: 'agent_actions',
  agent_reservations_rows: 'agent_reservations',
  agent_decisions_rows: 'agent_decisions',
  audit_events_rows: 'audit_events',
  jobs_rows: 'jobs',
  key_writes: 'integer',
  key_rows: 'idempotency_keys',
  removal_writes: 'integer',
  removal_jobs: 'uuid',
  end_writes: 'integer',
  end_ids: 'uuid',
  end_expected: 'text',
  end_states: 'text',
  end_settled: 'timestamptz',
  end_updated: 'timestamptz',
  said_writes: 'integer',
  said_ids: 'uuid',
  said_expected: 'text',
  said_states: 'text',
  said_references: 'text',
  said_delivered: 'timestamptz',
  said_updated: 'timestamptz',
  transfer_rows: 'ledger_transfers',
  transfer_debits: 'integer',
  transfer_credits: 'integer',
  step_writes: 'integer',
  step_transfers: 'uuid',
  step_debits: 'integer',
  step_credits: 'integer',
  step_amounts: 'bigint',
  step_states: 'text',
  step_times: 'timestamptz',
  move_writes: 'integer',
  move_accounts: 'integer',
  move_amounts: 'bigint',
  move_helds: 'bigint',
  move_events: 'integer',
  event_rows: 'events',
  event_bases: 'integer',
  record_rows: 'event_records',
} as const satisfies Record<string, RowTable | BinaryType>

type Argument = keyof typeof ARGUMENTS
const NAMES: readonly Argument[] = keysOf(ARGUMENTS)

/** Arguments that refer to accounts by position. */
const ACCOUNT_POSITIONS = [
  'transfer_debits',
  'transfer_credits',
  'step_debits',
  'step_credits',
  'move_accounts',
] as const

/**
 * `batch` (`$1`) is JSON with infrequent writes and writes to many different tables, or null. `opens` (`$2`)
 * is also JSON, and is read only if an account does not exist yet.
 */
export const COMMIT_TOGETHER = `SELECT commit_together(batch => $1::jsonb, opens => $2, ${NAMES.map(
  (name, index) => `${name} => $${index + 3}::${ARGUMENTS[name]}[]`,
).join(', ')})`

/** Row types by table. They are read from the database, because oids and columns differ between databases. */
export type RowTypes = ReadonlyMap<string, RowType>

interface ColumnOfRow {
  readonly table: RowTable
  readonly row_oid: number
  readonly name: string
  readonly oid: number
}

const ROW_TYPES = `
SELECT t AS table, t::regtype::oid AS row_oid, a.attname::text AS name, a.atttypid AS oid
FROM unnest($1::text[]) AS t JOIN pg_attribute AS a ON a.attrelid = t::regclass AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY t, a.attnum`

/**
 * Reads the row types of the tables. During a rolling upgrade, a table may already have columns that this
 * build does not know; they are written as null.
 */
export async function readRowTypes(db: Database): Promise<RowTypes> {
  const { rows } = await db.query<ColumnOfRow>(ROW_TYPES, [Object.keys(ROWS)], { connection: 'fast' })
  const types = new Map<string, { oid: number; columns: RowType['columns'][number][] }>()
  for (const { table, row_oid: rowOid, name, oid } of rows) {
    const knownColumns: Readonly<Record<string, BinaryType>> = ROWS[table]
    const rowType = types.get(table) ?? { oid: rowOid, columns: [] }
    rowType.columns.push({ name, oid, type: knownColumns[name] })
    types.set(table, rowType)
  }
  return types
}

type Row = Readonly<Record<string, unknown>>

/** Frequent writes, passed as arrays: this costs the database a fraction of what JSON rows cost. */
export class CommitArguments {
  readonly #arrays: Record<Argument, unknown[]> = buildTable(NAMES, () => [])

  /** Adds an element or a row. Returns its position, starting at 1. */
  add(name: Argument, value: unknown): number {
    return this.#arrays[name].push(value)
  }

  /** In the order of `COMMIT_TOGETHER`. */
  parameters(batch: object | null, opens: readonly object[], types: RowTypes): Parameter[] {
    this.#sortAccounts()
    return [
      batch && toJson(batch),
      opens.length > 0 ? toJson(opens) : null,
      ...NAMES.map((name) => encodeArray(ARGUMENTS[name], this.#arrays[name], types)),
    ]
  }

  /** Sorts the accounts by uuid, because every commit must lock them in the same order. */
  #sortAccounts(): void {
    const ids = this.#arrays.accounts as readonly string[]
    const sorted = ids.toSorted((left, right) =>
      left.slice(-UUID_LENGTH) < right.slice(-UUID_LENGTH) ? -1 : 1,
    )
    const positions = new Map(sorted.map((id, index) => [id, index + 1]))
    const newPositions = ids.map((id) => positions.get(id))
    this.#arrays.accounts = sorted
    for (const name of ACCOUNT_POSITIONS)
      this.#arrays[name] = this.#arrays[name].map((position) =>
        typeof position === 'number' ? newPositions[position - 1] : position,
      )
  }
}

export type Parameter = string | Buffer | null

function encodeArray(type: RowTable | BinaryType, values: readonly unknown[], types: RowTypes): Buffer {
  if (!isRowTable(type)) return encodeBinaryArray(type, values)
  return encodeBinaryRows(types.get(type)!, values as readonly Row[])
}

function isRowTable(type: RowTable | BinaryType): type is RowTable {
  return type in ROWS
}
