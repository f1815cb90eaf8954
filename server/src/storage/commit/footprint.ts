import type { RecordTable, Write } from './writes.ts'

/**
 * Decides which write sets `commit_together` may write in one batch, and how. Each statement writes all rows
 * of a table, so no set may use a record that another set of the batch changes. Only ledger accounts can be
 * shared, because their balances are computed write by write.
 */

/** The records used by a write set, and how it must be batched. */
export interface Footprint {
  /** Records that the set inserts, changes or removes. */
  readonly changed: readonly string[]
  /** Records that must not change before the set is written. */
  readonly relied: readonly string[]
  /**
   * Records that sets of one batch may share, but concurrent batches should not: ledger accounts and event
   * counters.
   */
  readonly shared: readonly string[]
  /** True if the rows of the set are written one after another, after the rows of all other sets. */
  readonly inTurn: boolean
  /**
   * True if the set needs a batch to itself: closing an account reads records that no write of the set names.
   */
  readonly isAlone: boolean
}

/**
 * Tables whose updates may follow all inserts of a batch. None of the updated columns is part of a unique
 * constraint, so no insert can depend on an update.
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
 * True if the order of the writes matters: the set changes a record that another of its writes uses, or
 * updates a table not in `UPDATED_TOGETHER`, whose writes may fail depending on what precedes them.
 */
function dependsOnOrder(
  writes: readonly Write[],
  changed: readonly string[],
  relied: readonly string[],
): boolean {
  const changedRecords = new Set(changed)
  return (
    changedRecords.size < changed.length ||
    relied.some((record) => changedRecords.has(record)) ||
    writes.some((write) => write.write === 'update' && !UPDATED_TOGETHER.has(write.table))
  )
}

export function computeFootprint(writes: readonly Write[]): Footprint {
  const changed: string[] = []
  const relied: string[] = []
  const shared: string[] = []
  for (const write of writes) {
    switch (write.write) {
      case 'insert':
        // Two batches that lock the same counters in a different order would deadlock.
        if (write.table === 'velocity_uses')
          shared.push(`velocity_counters ${write.row.subject} ${write.row.subject_digest}`)
        // Other writes can refer to a row only by id.
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

/** The records of all sets in a batch. */
export class BatchFootprint {
  readonly #changed = new Set<string>()
  readonly #relied = new Set<string>()
  readonly #shared = new Set<string>()

  /** True if the set uses a record that this batch changes, or changes one that this batch uses. */
  conflictsWith({ changed, relied }: Footprint): boolean {
    return (
      changed.some((record) => this.#changed.has(record) || this.#relied.has(record)) ||
      relied.some((record) => this.#changed.has(record))
    )
  }

  /** True if the set, in another batch, would have to wait for this batch in the database. */
  blocks(footprint: Footprint): boolean {
    return footprint.shared.some((record) => this.#shared.has(record)) || this.conflictsWith(footprint)
  }

  add({ changed, relied, shared }: Footprint): void {
    for (const record of changed) this.#changed.add(record)
    for (const record of relied) this.#relied.add(record)
    for (const record of shared) this.#shared.add(record)
  }
}
