import { toJson } from '../json.ts'
import { type RecordTable, timeText, type Write } from './writes.ts'

/**
 * Which write sets may be written together by `commit_together`, and the arguments of that function. Together, a
 * statement writes what all sets have for one table, so nothing may depend on an order within the batch: a record that
 * one write changes is met by no other write. Only the ledger's accounts are shared, whose balances that function
 * works out write by write.
 */

/** What a write set meets, if it may be written together with others. */
export interface Footprint {
  /** Records that it makes, changes or removes. */
  readonly changed: readonly string[]
  /** Records that must stay as they are until it is written. */
  readonly relied: readonly string[]
  /** What the sets of one batch may share, and two batches at a time had better not: accounts, numbers of events. */
  readonly shared: readonly string[]
}

/**
 * Tables whose updates may come after all inserts of a batch: nothing that changes in them is part of a unique
 * constraint, so no insert can depend on the update.
 */
const UPDATED_TOGETHER: ReadonlySet<RecordTable> = new Set([
  'transactions',
  'quotes',
  'jobs',
  'signing_requests',
  'messages',
  'webhook_deliveries',
  'agent_actions',
  'agent_reservations',
  'card_transactions',
] satisfies RecordTable[])

/** In this order a row is there before another refers to it; a table that is not named comes last. */
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
  'agent_actions',
  'cards',
]

/** Undefined for a set that depends on the order of its own writes, or changes what others may depend on. */
export function footprintOf(writes: readonly Write[]): Footprint | undefined {
  const changed: string[] = []
  const relied: string[] = []
  const shared: string[] = []
  for (const write of writes) {
    switch (write.write) {
      case 'insert':
        // Its accounts are opened before it is there.
        if (write.table === 'platforms') return undefined
        // By an id alone can another write name a row.
        if (typeof write.row.id === 'string') changed.push(`${write.table} ${write.row.id}`)
        break
      case 'update':
        if (!UPDATED_TOGETHER.has(write.table)) return undefined
        changed.push(`${write.table} ${write.id}`)
        break
      case 'expect':
        relied.push(`${write.table} ${write.id}`)
        break
      case 'remove':
        changed.push(`${write.table} ${write.id}`)
        break
      case 'keep':
        changed.push(`key ${write.row.scope}\n${write.row.key}`)
        break
      case 'hold':
        changed.push(`hold ${write.id}`)
        shared.push(write.account)
        break
      case 'capture':
      case 'void':
        changed.push(`hold ${write.hold}`)
        shared.push(write.account)
        break
      case 'event':
        shared.push(write.objectId)
        break
      case 'open':
        shared.push(write.id)
        break
      case 'post':
        for (const { account } of write.entries) shared.push(account)
        break
    }
  }
  const own = new Set(changed)
  if (own.size < changed.length || relied.some((record) => own.has(record))) return undefined
  return { changed, relied, shared }
}

/** The records that the sets of a batch meet, as they are taken into it. */
export class Ground {
  readonly #changed = new Set<string>()
  readonly #relied = new Set<string>()
  readonly #shared = new Set<string>()

  /** Whether a set meets a record that a set of this batch changes, or changes one that a set of this batch meets. */
  meets({ changed, relied }: Footprint): boolean {
    return (
      changed.some((record) => this.#changed.has(record) || this.#relied.has(record)) ||
      relied.some((record) => this.#changed.has(record))
    )
  }

  /** Whether a set of another batch would have to wait for this one in the database. */
  blocks(footprint: Footprint): boolean {
    return footprint.shared.some((record) => this.#shared.has(record)) || this.meets(footprint)
  }

  add({ changed, relied, shared }: Footprint): void {
    for (const record of changed) this.#changed.add(record)
    for (const record of relied) this.#relied.add(record)
    for (const record of shared) this.#shared.add(record)
  }
}

/** Write sets as the arguments of `commit_together`. A write is known by its place, counted through the whole batch. */
export interface Batch {
  /** In the order of `COMMIT_TOGETHER`. */
  readonly parameters: readonly string[]
  /** The set that the write of each place is of. */
  readonly setOf: readonly number[]
}

/**
 * What a batch has most of goes column by column, an array each: the database takes that at a fraction of what rows of
 * JSON cost it. The order is that of the function's parameters.
 */
const COLUMNS = {
  bodies: 'text',
  account_list: 'text',
  move_writes: 'integer',
  move_accounts: 'integer',
  move_amounts: 'bigint',
  move_helds: 'bigint',
  move_shown: 'boolean',
  transfer_ids: 'text',
  transfer_platforms: 'text',
  transfer_causes: 'text',
  transfer_cause_ids: 'text',
  transfer_times: 'timestamptz',
  entry_transfers: 'integer',
  entry_lines: 'integer',
  entry_accounts: 'integer',
  entry_amounts: 'bigint',
  event_ids: 'text',
  event_platforms: 'text',
  event_types: 'text',
  event_objects: 'text',
  event_numbers: 'integer',
  event_data: 'text',
  event_shown: 'integer',
  event_times: 'timestamptz',
} as const

type Column = keyof typeof COLUMNS
const COLUMN_NAMES = Object.keys(COLUMNS) as Column[]

/** Between texts: none of ours has a control character, and JSON escapes them. */
const SEPARATOR = '\u001e'

/** `$1` is JSON: all that a batch has little of, or of a table that is one of many. */
export const COMMIT_TOGETHER = `SELECT commit_together($1::jsonb, ${COLUMN_NAMES.map((name, index) =>
  COLUMNS[name] === 'text'
    ? `string_to_array($${index + 2}, '${SEPARATOR}')`
    : `$${index + 2}::${COLUMNS[name]}[]`,
).join(', ')})`

/** Numbers, times and truth values need no quotes in an array. */
function arrayText(name: Column, values: readonly unknown[]): string {
  return COLUMNS[name] === 'text' ? values.join(SEPARATOR) : `{${values.join()}}`
}

type Row = Record<string, unknown>

export function makeBatch(sets: readonly (readonly Write[])[]): Batch {
  const setOf: number[] = []
  const columns = Object.fromEntries(COLUMN_NAMES.map((name) => [name, []])) as unknown as Record<
    Column,
    unknown[]
  >
  // The first is nobody's: an array of one empty text cannot be told from an empty array.
  columns.bodies.push('')
  const lists = new Map<string, Row[]>()
  const inserts = new Parts()
  const updates = new Parts()
  const expects = new Parts()
  const opens = new Map<string, Row>()
  const accounts = new Map<string, number>()
  /** Of each object, its events so far. */
  const eventsOf = new Map<string, number>()
  let shown = 0
  const add = (list: string, row: Row) => {
    const rows = lists.get(list)
    if (rows) rows.push(row)
    else lists.set(list, [row])
  }
  /** The place of an account in its list, from 1 on. */
  const placeOf = (account: string): number => {
    const place = accounts.get(account) ?? columns.account_list.push(account)
    accounts.set(account, place)
    return place
  }
  const move = (n: number, account: number, amount: bigint, held: bigint, isShown = false) => {
    columns.move_writes.push(n)
    columns.move_accounts.push(account)
    columns.move_amounts.push(amount)
    columns.move_helds.push(held)
    columns.move_shown.push(isShown)
  }

  for (const [set, writes] of sets.entries()) {
    for (const write of writes) {
      const n = setOf.push(set) - 1
      switch (write.write) {
        case 'insert':
          inserts.add(write.table, write.row, write.row)
          break
        case 'update':
          updates.add(write.table, write.set, { n, id: write.id, expect: write.expect, set: write.set })
          break
        case 'expect':
          expects.add(write.table, undefined, { n, id: write.id, expect: write.expect })
          break
        case 'remove':
          add('removes', { n, id: write.id })
          break
        case 'keep':
          add('keeps', { n, ...write.row, body: columns.bodies.push(write.row.body) })
          break
        case 'event': {
          const { balanceOf, objectId } = write
          if (balanceOf !== undefined) move(n, placeOf(balanceOf), 0n, 0n, true)
          const number = (eventsOf.get(objectId) ?? 0) + 1
          eventsOf.set(objectId, number)
          columns.event_ids.push(write.id)
          columns.event_platforms.push(write.platformId)
          columns.event_types.push(write.type)
          columns.event_objects.push(objectId)
          columns.event_numbers.push(number)
          columns.event_data.push(toJson(write.data))
          columns.event_shown.push(balanceOf === undefined ? 'NULL' : ++shown)
          columns.event_times.push(timeText(write.at))
          break
        }
        case 'open':
          placeOf(write.id)
          opens.set(write.id, {
            id: write.id,
            platform_id: write.platformId,
            owner: write.owner,
            currency: write.currency,
            normal_side: write.normalSide,
            may_overdraw: write.mayOverdraw,
          })
          break
        case 'hold': {
          const account = placeOf(write.account)
          move(n, account, 0n, write.amount)
          add('holds', {
            id: write.id,
            platform_id: write.platformId,
            account,
            amount: write.amount,
            cause: write.cause,
            cause_id: write.causeId,
            at: timeText(write.at),
          })
          break
        }
        case 'capture':
          add('captures', {
            n,
            hold: write.hold,
            account: placeOf(write.account),
            amount: write.amount,
            final: write.final,
            at: timeText(write.at),
          })
          break
        case 'void':
          add('voids', { n, hold: write.hold, account: placeOf(write.account), at: timeText(write.at) })
          break
        case 'post': {
          const transfer = columns.transfer_ids.push(write.id)
          columns.transfer_platforms.push(write.platformId)
          columns.transfer_causes.push(write.cause)
          columns.transfer_cause_ids.push(write.causeId)
          columns.transfer_times.push(timeText(write.at))
          for (const [line, entry] of write.entries.entries()) {
            const account = placeOf(entry.account)
            move(n, account, entry.amount, 0n)
            columns.entry_transfers.push(transfer)
            columns.entry_lines.push(line + 1)
            columns.entry_accounts.push(account)
            columns.entry_amounts.push(entry.amount)
          }
          break
        }
      }
    }
  }
  const rest = {
    ...Object.fromEntries(lists),
    ...(opens.size > 0 ? { opens: [...opens.values()] } : {}),
    inserts: inserts.inOrder(),
    updates: updates.inOrder(),
    expects: expects.inOrder(),
  }
  return { setOf, parameters: [toJson(rest), ...COLUMN_NAMES.map((name) => arrayText(name, columns[name]))] }
}

interface Part {
  readonly table: RecordTable
  readonly shape: string
  readonly rows: Row[]
}

/** Rows by table and by the columns they give, each part a statement. */
class Parts {
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
