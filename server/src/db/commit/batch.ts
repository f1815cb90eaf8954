import { toJson } from '../../json/json.ts'
import { CommitArguments } from './commit-arguments.ts'
import { type LedgerEntry, type LedgerWrite, type RecordTable, timeText, type Write } from './writes.ts'

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
  'agent_policies',
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
      // What else is to be true of its owner only the exact path asks.
      case 'close':
        return undefined
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

type Row = Record<string, unknown>

export function makeBatch(sets: readonly (readonly Write[])[]): Batch {
  const setOf: number[] = []
  const args = new CommitArguments()
  const inserts = new Parts()
  const updates = new Parts()
  const expects = new Parts()
  const opens = new Map<string, Row>()
  const accounts = new Map<string, number>()
  /** Of each object, its events so far. */
  const eventsOf = new Map<string, number>()
  /** The place of an account in its list, from 1 on. */
  const placeOf = (account: string): number => {
    const place = accounts.get(account) ?? args.add('accounts', account)
    accounts.set(account, place)
    return place
  }
  /** What a write does to an account, or the event that shows it then. Gives its place. */
  const move = (n: number, account: number, amount: bigint, held: bigint, event = 0): number => {
    args.add('move_writes', n)
    args.add('move_accounts', account)
    args.add('move_amounts', amount)
    args.add('move_helds', held)
    return args.add('move_events', event)
  }
  /** Gives back what is held. How much that is the database says. */
  const release = (
    n: number,
    { hold, account, at }: { readonly hold: string; readonly account: string; readonly at: Date },
    amount: bigint,
    isFinal: boolean,
    state: 'posted' | 'voided',
  ) => {
    const place = placeOf(account)
    args.add('release_writes', n)
    args.add('release_holds', hold)
    args.add('release_accounts', place)
    args.add('release_amounts', amount)
    args.add('release_finals', isFinal)
    args.add('release_states', state)
    args.add('release_times', timeText(at))
    args.add('release_moves', move(n, place, 0n, 0n))
  }

  for (const [set, writes] of sets.entries()) {
    for (const write of writes) {
      const n = setOf.push(set) - 1
      switch (write.write) {
        case 'insert':
          if (write.table === 'transactions') args.addRow('transaction_rows', write.row)
          else if (write.table === 'jobs') args.addRow('job_rows', write.row)
          else inserts.add(write.table, write.row, write.row)
          break
        case 'update':
          if (isEnd(write)) {
            args.add('end_writes', n)
            args.add('end_ids', write.id)
            args.add('end_expected', write.expect.state)
            args.add('end_states', write.set.state)
            args.add('end_settled', write.set.settled_at)
            args.add('end_updated', write.set.updated_at)
          } else
            updates.add(write.table, write.set, { n, id: write.id, expect: write.expect, set: write.set })
          break
        case 'expect':
          expects.add(write.table, undefined, { n, id: write.id, expect: write.expect })
          break
        case 'remove':
          args.add('removal_writes', n)
          args.add('removal_jobs', write.id)
          break
        case 'keep':
          args.add('key_writes', n)
          args.addRow('key_rows', write.row)
          args.add('key_bodies', write.row.body)
          break
        case 'event': {
          const { balanceOf, objectId } = write
          const sequence = (eventsOf.get(objectId) ?? 0) + 1
          eventsOf.set(objectId, sequence)
          const event = args.addRow('event_rows', {
            id: write.id,
            platform_id: write.platformId,
            type: write.type,
            object_id: objectId,
            sequence,
            created_at: timeText(write.at),
          })
          args.add('event_data', toJson(write.data))
          if (balanceOf !== undefined) move(n, placeOf(balanceOf), 0n, 0n, event)
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
        case 'hold':
          move(n, placeOf(write.account), 0n, write.amount)
          args.addRow('hold_rows', {
            ...causeOf(write),
            account_id: write.account,
            amount: write.amount,
            captured: 0,
            state: 'pending',
            updated_at: timeText(write.at),
          })
          break
        case 'capture':
          release(n, write, write.amount, write.final, 'posted')
          break
        case 'void':
          release(n, write, 0n, true, 'voided')
          break
        case 'post':
          args.addRow('transfer_rows', causeOf(write))
          for (const [line, { account, amount }] of write.entries.entries()) {
            args.addRow('entry_rows', {
              transfer_id: write.id,
              line: line + 1,
              account_id: account,
              amount,
              created_at: timeText(write.at),
            })
            args.add('entry_accounts', placeOf(account))
            args.add('entry_platforms', write.platformId)
          }
          for (const [account, amount] of sumsOf(write.entries)) move(n, placeOf(account), amount, 0n)
          break
      }
    }
  }
  return {
    setOf,
    parameters: args.texts({
      ...(opens.size > 0 ? { opens: [...opens.values()] } : {}),
      inserts: inserts.inOrder(),
      updates: updates.inOrder(),
      expects: expects.inOrder(),
    }),
  }
}

type EndWrite = Extract<Write, { write: 'update' }>

/** Whether it ends a transaction, as most of all updates do: it is settled, and nothing else is told of it. */
function isEnd({ table, expect, set }: EndWrite): boolean {
  return (
    table === 'transactions' &&
    typeof set.settled_at === 'string' &&
    Object.keys(expect).join() === 'state' &&
    Object.keys(set).sort().join() === 'settled_at,state,updated_at'
  )
}

function causeOf({ id, platformId, cause, causeId, at }: Extract<LedgerWrite, { causeId: string }>): Row {
  return { id, platform_id: platformId, cause, cause_id: causeId, created_at: timeText(at) }
}

/** What a transfer does to each account: its balance counts when all of the transfer is posted. */
function sumsOf(entries: readonly LedgerEntry[]): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { account, amount } of entries) sums.set(account, (sums.get(account) ?? 0n) + amount)
  return sums
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
