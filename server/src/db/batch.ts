import type { RecordTable, Write } from './writes.ts'

/**
 * Which write sets may be written together by `commit_together`, and the argument of that function. Together, a
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

/** Write sets as the argument of `commit_together`. A write is known by its place, counted through the whole batch. */
export interface Batch {
  readonly argument: Readonly<Record<string, unknown>>
  /** The set that the write of each place is of. */
  readonly setOf: readonly number[]
}

type Row = Record<string, unknown>

export function makeBatch(sets: readonly (readonly Write[])[]): Batch {
  const setOf: number[] = []
  const lists = new Map<string, Row[]>()
  const inserts = new Parts()
  const updates = new Parts()
  const expects = new Parts()
  const opens = new Map<string, Row>()
  const accounts = new Map<string, number>()
  let shown = 0
  const add = (list: string, row: Row) => {
    const rows = lists.get(list)
    if (rows) rows.push(row)
    else lists.set(list, [row])
  }
  /** The place of an account in the argument's list, from 1 on. */
  const placeOf = (account: string): number => {
    const place = accounts.get(account) ?? accounts.size + 1
    accounts.set(account, place)
    return place
  }
  const move = (n: number, account: number, amount: bigint, held: bigint) =>
    add('moves', { n, account, amount, held, shown: false })

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
          add('keeps', { n, ...write.row })
          break
        case 'event': {
          const { balanceOf } = write
          if (balanceOf !== undefined)
            add('moves', { n, account: placeOf(balanceOf), amount: 0, held: 0, shown: true })
          add('events', {
            n,
            id: write.id,
            platform_id: write.platformId,
            type: write.type,
            object_id: write.objectId,
            data: write.data,
            shown: balanceOf === undefined ? null : ++shown,
            at: write.at,
          })
          break
        }
        case 'open':
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
            at: write.at,
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
            at: write.at,
          })
          break
        case 'void':
          add('voids', { n, hold: write.hold, account: placeOf(write.account), at: write.at })
          break
        case 'post':
          add('transfers', {
            id: write.id,
            platform_id: write.platformId,
            cause: write.cause,
            cause_id: write.causeId,
            created_at: write.at,
          })
          for (const [line, entry] of write.entries.entries()) {
            const account = placeOf(entry.account)
            const { amount } = entry
            move(n, account, amount, 0n)
            add('entries', {
              transfer_id: write.id,
              platform_id: write.platformId,
              line: line + 1,
              account,
              amount,
              created_at: write.at,
            })
          }
          break
      }
    }
  }
  return {
    setOf,
    argument: {
      ...Object.fromEntries(lists),
      ...(accounts.size > 0 ? { accounts: [...accounts.keys()] } : {}),
      ...(opens.size > 0 ? { opens: [...opens.values()] } : {}),
      inserts: inserts.inOrder(),
      updates: updates.inOrder(),
      expects: expects.inOrder(),
    },
  }
}

/** Rows by table and by the columns they give, each part a statement. */
class Parts {
  readonly #parts = new Map<string, { readonly table: RecordTable; readonly rows: Row[] }>()

  add(table: RecordTable, columns: Row | undefined, row: Row): void {
    const shape = columns ? `${table} ${Object.keys(columns).join()}` : table
    const part = this.#parts.get(shape)
    if (part) part.rows.push(row)
    else this.#parts.set(shape, { table, rows: [row] })
  }

  inOrder(): readonly { readonly table: RecordTable; readonly rows: readonly Row[] }[] {
    return [...this.#parts.values()].sort((one, other) => place(one.table) - place(other.table))
  }
}

function place(table: RecordTable): number {
  const index = INSERT_ORDER.indexOf(table)
  return index < 0 ? INSERT_ORDER.length : index
}
