import type { RecordTable } from './writes.ts'

/** Orders tables so that a row is written before another refers to it. A table that is not named comes last. */
const INSERT_ORDER: readonly RecordTable[] = [
  'api_tokens',
  'customers',
  'internal_accounts',
  'external_accounts',
  'credentials',
  'otp_challenges',
  'sessions',
  'signing_requests',
  'quotes',
  'transactions',
  'messages',
  'agents',
  'agent_policies',
  'agent_actions',
  'cards',
]

/** A row in a batch's JSON, or a change to one. */
export type Row = Record<string, unknown>

/** Rows of one table with the same columns: one statement writes them. */
interface Part {
  readonly table: RecordTable
  readonly shape: string
  readonly rows: Row[]
}

/** Rows by table and columns. Each part is one statement. */
export class Parts {
  readonly #parts = new Map<string, Part>()

  add(table: RecordTable, columns: Row | undefined, row: Row): void {
    const shape = columns ? `${table} ${Object.keys(columns).join()}` : table
    const part = this.#parts.get(shape)
    if (part) part.rows.push(row)
    else this.#parts.set(shape, { table, shape, rows: [row] })
  }

  inOrder(): readonly Part[] {
    return [...this.#parts.values()].sort((one, other) => place(one.table) - place(other.table))
  }
}

function place(table: RecordTable): number {
  const index = INSERT_ORDER.indexOf(table)
  return index < 0 ? INSERT_ORDER.length : index
}
