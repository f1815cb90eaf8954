import { toJson } from '../../json/json.ts'
import type { Tables } from '../schema/tables.ts'

/**
 * How a value is written within a row. Plain: ids, states, kinds, currencies, numbers and times, which we make
 * ourselves and which need no quotes. Beside: the value is an argument of its own, or the database makes it.
 */
type Kind = 'plain' | 'quoted' | 'beside'

/** Rows that `commit_together` takes as rows of their table: all of its columns, in the table's order. */
export const ROWS = {
  transactions: {
    id: 'plain',
    platform_id: 'plain',
    customer_id: 'plain',
    kind: 'plain',
    type: 'plain',
    direction: 'plain',
    state: 'plain',
    source_account_id: 'plain',
    destination_account_id: 'plain',
    source_identifier: 'quoted',
    destination_identifier: 'quoted',
    sent_amount: 'plain',
    sent_currency: 'plain',
    received_amount: 'plain',
    received_currency: 'plain',
    fees: 'plain',
    quote_id: 'plain',
    hold_id: 'plain',
    payment_rail: 'plain',
    remittance_information: 'quoted',
    description: 'quoted',
    reference: 'quoted',
    failure_reason: 'quoted',
    refund: 'quoted',
    details: 'quoted',
    receipt_delivery_confirmed_at: 'plain',
    agent_id: 'plain',
    settled_at: 'plain',
    created_at: 'plain',
    updated_at: 'plain',
  },
  jobs: {
    id: 'plain',
    platform_id: 'plain',
    kind: 'plain',
    payload: 'quoted',
    due_at: 'plain',
    attempts: 'plain',
    claimed_until: 'plain',
    last_error: 'quoted',
    created_at: 'plain',
  },
  idempotency_keys: {
    scope: 'quoted',
    key: 'quoted',
    platform_id: 'plain',
    request_hash: 'quoted',
    status: 'plain',
    body: 'beside',
    created_at: 'plain',
    expires_at: 'plain',
  },
  ledger_holds: {
    id: 'plain',
    platform_id: 'plain',
    account_id: 'plain',
    amount: 'plain',
    captured: 'plain',
    state: 'plain',
    cause: 'plain',
    cause_id: 'plain',
    created_at: 'plain',
    updated_at: 'plain',
  },
  ledger_transfers: {
    id: 'plain',
    platform_id: 'plain',
    cause: 'plain',
    cause_id: 'plain',
    created_at: 'plain',
  },
  ledger_entries: {
    transfer_id: 'plain',
    line: 'plain',
    account_id: 'plain',
    currency: 'beside',
    amount: 'plain',
    created_at: 'plain',
  },
  events: {
    id: 'plain',
    position: 'beside',
    platform_id: 'plain',
    type: 'plain',
    object_id: 'plain',
    sequence: 'plain',
    data: 'beside',
    created_at: 'plain',
    committed_in: 'beside',
  },
} as const satisfies { readonly [T in keyof Tables]?: Record<keyof Tables[T], Kind> & Record<string, Kind> }

type RowTable = keyof typeof ROWS

const COLUMNS = new Map(
  Object.entries(ROWS).map(([table, columns]) => [
    table,
    Object.entries(columns).map(([name, kind]): { name: string; kind: Kind } => ({ name, kind })),
  ]),
)

/** The array arguments of `commit_together` beside `batch`, by name, with their type or table. */
const ARGUMENTS = {
  accounts: 'uuid',
  transaction_rows: 'transactions',
  job_rows: 'jobs',
  hold_rows: 'ledger_holds',
  key_writes: 'integer',
  key_rows: 'idempotency_keys',
  key_bodies: 'text',
  removal_writes: 'integer',
  removal_jobs: 'uuid',
  end_writes: 'integer',
  end_ids: 'uuid',
  end_expected: 'text',
  end_states: 'text',
  end_settled: 'timestamptz',
  end_updated: 'timestamptz',
  release_writes: 'integer',
  release_holds: 'uuid',
  release_accounts: 'integer',
  release_amounts: 'bigint',
  release_finals: 'boolean',
  release_states: 'text',
  release_times: 'timestamptz',
  release_moves: 'integer',
  transfer_rows: 'ledger_transfers',
  entry_rows: 'ledger_entries',
  entry_accounts: 'integer',
  entry_platforms: 'uuid',
  move_writes: 'integer',
  move_accounts: 'integer',
  move_amounts: 'bigint',
  move_helds: 'bigint',
  move_events: 'integer',
  event_rows: 'events',
  event_data: 'text',
} as const satisfies Record<
  string,
  RowTable | 'text' | 'uuid' | 'integer' | 'bigint' | 'boolean' | 'timestamptz'
>

type Argument = keyof typeof ARGUMENTS
const NAMES = Object.keys(ARGUMENTS) as Argument[]

/**
 * Separates the texts of an array: none of ours has a control character, and JSON escapes them. Text of people goes
 * into rows, where it is quoted.
 */
const SEPARATOR = '\u001e'

/** `batch`, `$1`, is JSON: the infrequent writes, and those to many different tables. */
export const COMMIT_TOGETHER = `SELECT commit_together(batch => $1::jsonb, ${NAMES.map((name, index) =>
  ARGUMENTS[name] === 'text'
    ? `${name} => (string_to_array($${index + 2}, '${SEPARATOR}'))[2:]`
    : `${name} => $${index + 2}::${ARGUMENTS[name]}[]`,
).join(', ')})`

type Row = Readonly<Record<string, unknown>>

/** The frequent writes, as arrays: the database takes them at a fraction of the cost of JSON rows. */
export class CommitArguments {
  readonly #arrays = Object.fromEntries(NAMES.map((name) => [name, []])) as unknown as Record<
    Argument,
    unknown[]
  >

  /** Adds one element. Returns its place, from 1. */
  add(name: Argument, value: unknown): number {
    return this.#arrays[name].push(value)
  }

  /** Adds a row of a table. An absent member is null. */
  addRow(name: Argument, row: Row): number {
    return this.#arrays[name].push(rowText(ARGUMENTS[name] as RowTable, row))
  }

  /** In the order of `COMMIT_TOGETHER`. */
  texts(batch: object): string[] {
    return [toJson(batch), ...NAMES.map((name) => arrayText(name, this.#arrays[name]))]
  }
}

function arrayText(name: Argument, values: readonly unknown[]): string {
  if (ARGUMENTS[name] !== 'text') return `{${values.join()}}`
  return values.length === 0 ? '' : SEPARATOR + values.join(SEPARATOR)
}

/** A row as PostgreSQL writes it, as the element of an array. Null is an empty text. */
function rowText(table: RowTable, row: Row): string {
  const members = COLUMNS.get(table)!.map(({ name, kind }) => {
    const value = kind === 'beside' ? null : row[name]
    return kind === 'plain' || value === null || value === undefined ? value : quoted(value)
  })
  return `"(${members.join()})"`
}

const SPECIAL = /["\\]/
const DOUBLED = { '"': '\\"\\"', '\\': '\\\\\\\\' } as const

/** Quoted twice: as a member of a row, and within the quotes of the element. */
function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : toJson(value)
  return `\\"${SPECIAL.test(text) ? text.replace(/["\\]/g, (one) => DOUBLED[one as keyof typeof DOUBLED]) : text}\\"`
}
