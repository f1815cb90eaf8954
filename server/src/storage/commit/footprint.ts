import type { RecordTable, Write } from './writes.ts'

/**
 * Decides which write sets `commit_together` may write in one batch, and how. One statement writes all rows of a
 * table, so no set may use a record that another set of the batch changes. Only ledger accounts are shared, because
 * that function computes their balances write by write.
 */

/** The records of a write set, and its place in a batch. */
export interface Footprint {
  /** Records that the set inserts, changes or removes. */
  readonly changed: readonly string[]
  /** Records that must stay unchanged until the set is written. */
  readonly relied: readonly string[]
  /**
   * Records that the sets of one batch may share, but two concurrent batches should not: accounts, numbers of events.
   */
  readonly shared: readonly string[]
  /** True if the rows of the set are written one after the other, after the rows of all other sets. */
  readonly inTurn: boolean
  /** True if the set has a batch to itself: closing an account reads records that no write of the set names. */
  readonly isAlone: boolean
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
 * True if a set depends on the order of its writes: it changes a record that another of its writes uses, or a row in a
 * table that is not among `UPDATED_TOGETHER`, whose other writes may fail before or after it.
 */
function dependsOnOrder(
  writes: readonly Write[],
  changed: readonly string[],
  relied: readonly string[],
): boolean {
  const own = new Set(changed)
  return (
    own.size < changed.length ||
    relied.some((record) => own.has(record)) ||
    writes.some((write) => write.write === 'update' && !UPDATED_TOGETHER.has(write.table))
  )
}

export function footprintOf(writes: readonly Write[]): Footprint {
  const changed: string[] = []
  const relied: string[] = []
  const shared: string[] = []
  for (const write of writes) {
    switch (write.write) {
      case 'insert':
        // Two batches with the same counters in another order would wait for each other.
        if (write.table === 'velocity_uses')
          shared.push(`velocity_counters ${write.row.subject} ${write.row.subject_digest}`)
        // Another write can name a row only by its id.
        if (typeof write.row.id === 'string') changed.push(`${write.table} ${write.row.id}`)
        break
      case 'newestKey':
      case 'close':
        break
      case 'expect':
        relied.push(`${write.table} ${write.id}`)
        break
      case 'update':
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
    }
  }
  const inTurn = dependsOnOrder(writes, changed, relied)
  return { changed, relied, shared, inTurn, isAlone: writes.some(({ write }) => write === 'close') }
}

/** The records of all sets in a batch, collected as sets are added. */
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
