import { toJson } from '../../json/json.ts'
import { ownUuidOf } from '../engine/ids.ts'
import type { Tables } from '../schema/tables.ts'

/**
 * How a value is written within a row. Plain: ids, states, kinds, currencies, numbers and times, which we make
 * ourselves and which need no quotes. Id: written as its uuid. Beside: the value is an argument of its own, or the database
 * makes it.
 */
type Kind = 'id' | 'plain' | 'quoted' | 'beside'

/** Rows that `commit_together` takes as rows of their table: all of its columns, in the table's order. */
export const ROWS = {
  transactions: {
    id: 'id',
    platform_id: 'id',
    customer_id: 'id',
    kind: 'plain',
    type: 'plain',
    direction: 'plain',
    state: 'plain',
    source_account_id: 'id',
    destination_account_id: 'id',
    source_identifier: 'quoted',
    destination_identifier: 'quoted',
    sent_amount: 'plain',
    sent_currency: 'plain',
    received_amount: 'plain',
    received_currency: 'plain',
    fees: 'plain',
    quote_id: 'id',
    hold_id: 'id',
    payment_rail: 'plain',
    remittance_information: 'quoted',
    description: 'quoted',
    reference: 'quoted',
    failure_reason: 'quoted',
    refund: 'quoted',
    details: 'quoted',
    receipt_delivery_confirmed_at: 'plain',
    agent_id: 'id',
    settled_at: 'plain',
    created_at: 'plain',
    updated_at: 'plain',
  },
  jobs: {
    id: 'id',
    platform_id: 'id',
    kind: 'plain',
    payload: 'quoted',
    due_at: 'plain',
    attempts: 'plain',
    claimed_until: 'plain',
    last_error: 'quoted',
    created_at: 'plain',
  },
  idempotency_keys: {
    digest: 'beside',
    scope: 'quoted',
    key: 'quoted',
    platform_id: 'id',
    request_hash: 'quoted',
    status: 'plain',
    body: 'beside',
    created_at: 'plain',
    expires_at: 'plain',
  },
  ledger_transfers: {
    id: 'id',
    platform_id: 'id',
    debit_account_id: 'id',
    credit_account_id: 'id',
    currency: 'plain',
    amount: 'plain',
    state: 'plain',
    cause: 'plain',
    cause_id: 'id',
    created_at: 'plain',
    ended_at: 'plain',
  },
  events: {
    id: 'id',
    position: 'beside',
    platform_id: 'id',
    type: 'plain',
    object_id: 'id',
    sequence: 'plain',
    data: 'beside',
    record: 'beside',
    available: 'beside',
    posted: 'beside',
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
  event_data: 'text',
  event_bases: 'integer',
  event_records: 'text',
  record_digests: 'text',
  record_platforms: 'uuid',
  record_texts: 'text',
} as const satisfies Record<string, RowTable | 'text' | 'uuid' | 'integer' | 'bigint' | 'timestamptz'>

type Argument = keyof typeof ARGUMENTS

/** The arguments that name accounts by their places. */
const PLACES = [
  'transfer_debits',
  'transfer_credits',
  'step_debits',
  'step_credits',
  'move_accounts',
] as const
const NAMES = Object.keys(ARGUMENTS) as Argument[]

/**
 * Separates the texts of an array: none of ours has a control character, and JSON escapes them. Text of people goes
 * into rows, where it is quoted.
 */
const SEPARATOR = '\u001e'

/**
 * `batch`, `$1`, is JSON: the infrequent writes, and those to many different tables; null where there are none. `opens`,
 * `$2`, is JSON too, read only where an account is missing.
 */
export const COMMIT_TOGETHER = `SELECT commit_together(batch => $1::jsonb, opens => $2, ${NAMES.map(
  (name, index) =>
    ARGUMENTS[name] === 'text'
      ? `${name} => (string_to_array($${index + 3}, '${SEPARATOR}'))[2:]`
      : `${name} => $${index + 3}::${ARGUMENTS[name]}[]`,
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
  texts(batch: object | null, opens: readonly object[]): (string | null)[] {
    this.#sortAccounts()
    return [
      batch && toJson(batch),
      opens.length > 0 ? toJson(opens) : null,
      ...NAMES.map((name) => arrayText(name, this.#arrays[name])),
    ]
  }

  /** Sorts the accounts by id, in which order every commit locks them. */
  #sortAccounts(): void {
    const ids = this.#arrays.accounts as readonly string[]
    const sorted = ids.toSorted((one, other) => (one < other ? -1 : 1))
    const places = new Map(sorted.map((id, index) => [id, index + 1]))
    const moved = ids.map((id) => places.get(id))
    this.#arrays.accounts = sorted
    for (const name of PLACES)
      this.#arrays[name] = this.#arrays[name].map((place) => place && moved[(place as number) - 1])
  }
}

function arrayText(name: Argument, values: readonly unknown[]): string {
  if (ARGUMENTS[name] !== 'text') return `{${values.map((value) => value ?? 'NULL').join()}}`
  return values.length === 0 ? '' : SEPARATOR + values.join(SEPARATOR)
}

/** A row as PostgreSQL writes it, as the element of an array. Null is an empty text. */
function rowText(table: RowTable, row: Row): string {
  const members = COLUMNS.get(table)!.map(({ name, kind }) => {
    const value = kind === 'beside' ? null : row[name]
    if (kind === 'plain' || value === null || value === undefined) return value
    return kind === 'id' ? ownUuidOf(value as string) : quoted(value)
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
