import type { RecordTable, Write } from './writes.ts'

/**
 * Which write sets may be written together by `commit_together`. Together, a statement writes what all sets have for one
 * table, so nothing may depend on an order within the batch: a record that one write changes is met by no other write.
 * Only the ledger's accounts are shared, whose balances that function works out write by write.
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
