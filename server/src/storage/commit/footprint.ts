import type { RecordTable, Write } from './writes.ts'

/**
 * Decides which write sets `commit_together` may write in one batch. One statement writes all rows of a
 * table, so nothing may depend on an order within the batch: no other write uses a record that one write
 * changes. Only ledger accounts are shared, because that function computes their balances write by write.
 */

/** The records of a write set that may be written together with others. */
export interface Footprint {
  /** Records that the set inserts, changes or removes. */
  readonly changed: readonly string[]
  /** Records that must stay unchanged until the set is written. */
  readonly relied: readonly string[]
  /**
   * Records that the sets of one batch may share, but two concurrent batches should not: accounts, numbers of events.
   */
  readonly shared: readonly string[]
}

/**
 * Tables whose updates may follow all inserts of a batch: no changed column is part of a unique constraint, so no
 * insert can depend on the update.
 */
const UPDATED_TOGETHER: ReadonlySet<RecordTable> = new Set([
  'transactions',
  'quotes',
  'jobs',
  'signing_requests',
  'messages',
  'agent_actions',
  'agent_reservations',
  'card_transactions',
  'customer_imports',
  'payment_schedules',
  'payment_occurrences',
  'payout_batches',
  'payout_lines',
  'rail_payments',
  'deposits',
] satisfies RecordTable[])

/**
 * Undefined if the writes of the set depend on their order, or it changes records that others may depend on.
 */
export function footprintOf(writes: readonly Write[]): Footprint | undefined {
  const changed: string[] = []
  const relied: string[] = []
  const shared: string[] = []
  for (const write of writes) {
    switch (write.write) {
      case 'insert':
        // Its accounts are opened before the row exists.
        if (write.table === 'platforms') return undefined
        // Two batches with the same counters in another order would wait for each other.
        if (write.table === 'velocity_uses')
          shared.push(`velocity_counters ${write.row.subject} ${write.row.subject_digest}`)
        // Another write can name a row only by its id.
        if (typeof write.row.id === 'string') changed.push(`${write.table} ${write.row.id}`)
        break
      case 'update':
        if (!UPDATED_TOGETHER.has(write.table)) return undefined
        changed.push(`${write.table} ${write.id}`)
        break
      case 'newestKey':
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
      case 'transfer':
      case 'end':
        changed.push(`ledger_transfers ${write.id}`)
        shared.push(write.debit)
        if (write.state === 'posted') shared.push(write.credit)
        break
      case 'event':
        shared.push(write.objectId)
        break
      case 'open':
        shared.push(write.id)
        break
      // Only the exact path checks the other conditions on its owner.
      case 'close':
        return undefined
    }
  }
  const own = new Set(changed)
  if (own.size < changed.length || relied.some((record) => own.has(record))) return undefined
  return { changed, relied, shared }
}

/** The records of all sets of a batch, collected as sets are added. */
export class BatchFootprint {
  readonly #changed = new Set<string>()
  readonly #relied = new Set<string>()
  readonly #shared = new Set<string>()

  /** True if a set uses a record that this batch changes, or changes one that this batch uses. */
  conflictsWith({ changed, relied }: Footprint): boolean {
    return (
      changed.some((record) => this.#changed.has(record) || this.#relied.has(record)) ||
      relied.some((record) => this.#changed.has(record))
    )
  }

  /** True if a set of another batch would have to wait for this one in the database. */
  blocks(footprint: Footprint): boolean {
    return footprint.shared.some((record) => this.#shared.has(record)) || this.conflictsWith(footprint)
  }

  add({ changed, relied, shared }: Footprint): void {
    for (const record of changed) this.#changed.add(record)
    for (const record of relied) this.#relied.add(record)
    for (const record of shared) this.#shared.add(record)
  }
}
