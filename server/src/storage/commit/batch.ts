import { hash } from 'node:crypto'
import { toOwnUuid } from '../engine/ids.ts'
import type { SharedPayload } from '../rows/job.ts'
import type { NewJob } from '../rows/new-job.ts'
import { INSERTED, type InsertedTable } from '../rows/row-columns.ts'
import { newPart, type Part, Parts, type Row } from './batch-parts.ts'
import { CommitArguments, type Parameter, type RowTypes, toRowsArgument } from './commit-arguments.ts'
import type { Footprint } from './footprint.ts'
import { toStoredRow } from './stored-row.ts'
import type { RecordTable, Write } from './writes.ts'
import { toIsoTime } from './writes.ts'

/** Write sets as the arguments of `commit_together`. Writes are numbered through the whole batch. */
export interface Batch {
  /** In the order of `COMMIT_TOGETHER`. */
  readonly parameters: readonly Parameter[]
  /** The number of the set that each write belongs to. */
  readonly setNumbers: readonly number[]
  /** Shared job rows, by the ids of their jobs. */
  readonly shared: ReadonlyMap<string, SharedRow>
  /** The records stored once this batch is written. */
  readonly newRecords: ReadonlyMap<string, string>
}

/** A row of the `jobs` table, and the number of jobs in it. */
export interface SharedRow {
  readonly id: string
  readonly size: number
}

/** Digests of records known to be stored, by the JSON of the record. */
export type StoredRecords = ReadonlyMap<string, string>

/** A write set with its footprint. */
export interface BatchedSet {
  readonly writes: readonly Write[]
  readonly footprint: Footprint
}

/**
 * Builds one batch from sets that may be written together (`footprint.ts`). The effect is as if they were
 * written one after another. Sets whose writes must keep their order come last.
 */
export function makeBatch(sets: readonly BatchedSet[], records: StoredRecords, types: RowTypes): Batch {
  const setNumbers: number[] = []
  const batch = new BatchArguments(records)
  for (const inTurn of [false, true])
    for (const [set, { writes, footprint }] of sets.entries())
      if (footprint.inTurn === inTurn)
        for (const write of writes) batch.add(setNumbers.push(set) - 1, write, inTurn)
  const { newRecords } = batch
  return { setNumbers, parameters: batch.parameters(types), shared: batch.shared(), newRecords }
}

/** The length of a digest in hex. */
const DIGEST_DIGITS = 32

/** Jobs of one platform and kind that share a row. `payloads` has the payload of each. */
interface Sharing {
  readonly first: Row
  readonly rowId: string
  readonly ids: string[]
  readonly payloads: SharedPayload['each'][number][]
}

type WriteOf<Kind extends Write['write']> = Extract<Write, { write: Kind }>

/** The arguments of a batch, filled write by write. `index` is the number of a write. */
class BatchArguments {
  readonly records: StoredRecords
  /** Records that this batch stores. */
  readonly newRecords = new Map<string, string>()
  readonly #args = new CommitArguments()
  readonly #inserts = new Parts('insert')
  readonly #updates = new Parts('update')
  /**
   * Quotes that leave the count of conversions in progress. They are updated after the quotes that enter it:
   * the ledger entries that replace them are written last, and until then they must be counted
   * (`fx_in_flight`).
   */
  readonly #uncounted = new Parts('update')
  readonly #expects = new Parts('expect')
  /** Rows of sets that keep their order. Each becomes its own statement. */
  readonly #inTurn: Part[] = []
  /** Matches written by this batch. The last step compares them with the ledger. */
  readonly #matches: string[] = []
  /** The customer whose accounts are closed. Such a set has a batch to itself. */
  #closedOwner: string | undefined
  /** The oldest data key with which a set of this batch has sealed values. */
  #sealedUnder: number | undefined
  readonly #opens = new Map<string, Row>()
  /** The position of each account in the list of accounts, starting at 1. */
  readonly #accountIndexes = new Map<string, number>()
  readonly #sharing = new Map<string, Sharing>()
  /** Objects created in this batch, so that their events are the first. */
  readonly #newObjects = new Set<unknown>()
  /** The number of events per object so far. */
  readonly #eventCounts = new Map<string, number>()

  constructor(records: StoredRecords) {
    this.records = records
  }

  /** `inTurn` is true if the rows of the set are written one after another. */
  add(index: number, write: Write, inTurn: boolean): void {
    switch (write.write) {
      case 'insert':
        this.#insert(write, inTurn)
        break
      case 'update':
        if (isSettlement(write) && !inTurn) this.#settleTransaction(index, write)
        else if (isRailReply(write) && !inTurn) this.#addReply(index, write)
        else this.#update(index, write, inTurn)
        break
      case 'expect': {
        const row = { n: index, id: toOwnUuid(write.id), expect: toStoredRow(write.expect) }
        if (inTurn) this.#inTurn.push(newPart('expect', write.table, row))
        else this.#expects.add(write.table, row)
        break
      }
      case 'newestKey':
        this.#sealedUnder = Math.min(this.#sealedUnder ?? write.generation, write.generation)
        break
      case 'remove':
        this.#remove(index, write)
        break
      case 'keep':
        this.#keep(index, write)
        break
      case 'event':
        this.#event(index, write)
        break
      case 'open':
        this.#open(write)
        break
      case 'transfer':
        this.#transfer(index, write)
        break
      case 'end':
        this.#endTransfer(index, write)
        break
      case 'close':
        this.#closedOwner = toOwnUuid(write.owner)
        break
    }
  }

  parameters(types: RowTypes): readonly Parameter[] {
    for (const { first, payloads } of this.#sharing.values())
      this.#args.add('jobs_rows', payloads.length > 1 ? { ...first, payload: { each: payloads } } : first)
    const statements = {
      inserts: this.#inserts.inOrder(),
      steps: [
        ...this.#updates.inOrder(),
        ...this.#expects.inOrder(),
        ...this.#inTurn,
        ...this.#uncounted.inOrder(),
      ],
    }
    const matches = this.#matches.length > 0 ? this.#matches : undefined
    const rest = { sealedUnder: this.#sealedUnder, closes: this.#closedOwner, matches }
    const isUsed =
      Object.values(statements).some(({ length }) => length > 0) ||
      Object.values(rest).some((value) => value !== undefined)
    return this.#args.parameters(isUsed ? { ...statements, ...rest } : null, [...this.#opens.values()], types)
  }

  /** The shared row of each job that has one. */
  shared(): ReadonlyMap<string, SharedRow> {
    const rows = [...this.#sharing.values()].filter(({ ids }) => ids.length > 1)
    return new Map(
      rows.flatMap(({ rowId, ids }) => {
        const row = { id: rowId, size: ids.length }
        return ids.map((id) => [id, row] as const)
      }),
    )
  }

  #share(row: Row, { id, platform_id: platformId, kind, payload }: NewJob): void {
    const name = `${platformId} ${kind}`
    const sharing = this.#sharing.get(name)
    if (!sharing) this.#sharing.set(name, { first: row, rowId: id, ids: [id], payloads: [payload] })
    else {
      sharing.ids.push(id)
      sharing.payloads.push(payload)
    }
  }

  #insert({ table, row, due, shares }: WriteOf<'insert'>, inTurn: boolean): void {
    this.#newObjects.add(row.id)
    if (table === 'reconciliation_matches') this.#matches.push(toOwnUuid(String(row.id)))
    if (due && shares) this.#share(row, due)
    else if (inTurn) this.#inTurn.push(newPart('insert', table, toStoredRow(row)))
    else if (isInserted(table)) this.#args.add(toRowsArgument(table), row)
    else this.#inserts.add(table, toStoredRow(row), row)
  }

  #update(index: number, { table, id, expect, set }: WriteOf<'update'>, inTurn: boolean): void {
    const row = { n: index, id: toOwnUuid(id), expect: toStoredRow(expect), set: toStoredRow(set) }
    if (table === 'reconciliation_matches') this.#matches.push(row.id)
    if (set.position_limit === null) this.#uncounted.add(table, row, set)
    else if (inTurn) this.#inTurn.push(newPart('update', table, row, set))
    else this.#updates.add(table, row, set)
  }

  /** Adds a transaction that reaches a final state. */
  #settleTransaction(index: number, { id, expect, set }: WriteOf<'update'>): void {
    const args = this.#args
    args.add('end_writes', index)
    args.add('end_ids', id)
    args.add('end_expected', expect.state)
    args.add('end_states', set.state)
    args.add('end_settled', set.settled_at)
    args.add('end_updated', set.updated_at)
  }

  /** Adds a payment that its rail has accepted or delivered. */
  #addReply(index: number, { id, expect, set }: WriteOf<'update'>): void {
    const args = this.#args
    args.add('said_writes', index)
    args.add('said_ids', id)
    args.add('said_expected', expect.state)
    args.add('said_states', set.state)
    args.add('said_references', set.rail_reference ?? null)
    args.add('said_delivered', set.delivered_at ?? null)
    args.add('said_updated', set.updated_at)
  }

  #remove(index: number, { id }: WriteOf<'remove'>): void {
    this.#args.add('removal_writes', index)
    this.#args.add('removal_jobs', id)
  }

  #keep(index: number, { row }: WriteOf<'keep'>): void {
    this.#args.add('key_writes', index)
    this.#args.add('key_rows', row)
  }

  #event(
    index: number,
    { id, platformId, type, objectId, at, data, ofAccount, traceparent }: WriteOf<'event'>,
  ): void {
    const sequence = (this.#eventCounts.get(objectId) ?? 0) + 1
    this.#eventCounts.set(objectId, sequence)
    const args = this.#args
    const event = args.add('event_rows', {
      id,
      platform_id: platformId,
      type,
      object_id: objectId,
      sequence,
      data: ofAccount ? null : data,
      record: ofAccount ? this.#digestOfRecord(data, platformId) : null,
      traceparent: traceparent ?? null,
      created_at: toIsoTime(at),
    })
    args.add('event_bases', this.#newObjects.has(objectId) ? 0 : null)
    if (ofAccount) this.#move(index, this.#accountIndex(objectId), 0n, 0n, event)
  }

  /** The digest of a record shown by an event. Adds the record unless it is known to be stored. */
  #digestOfRecord(text: string, platformId: string): string {
    const { records, newRecords } = this
    const known = records.get(text)
    const digest = known ?? newRecords.get(text) ?? `\\x${hash('sha256', text).slice(0, DIGEST_DIGITS)}`
    if (known === undefined && !newRecords.has(text)) {
      newRecords.set(text, digest)
      this.#args.add('record_rows', { digest, platform_id: platformId, text })
    }
    return digest
  }

  #open({ id, platformId, owner, name, currency, normalSide, mayOverdraw }: WriteOf<'open'>): void {
    this.#accountIndex(id)
    this.#opens.set(id, {
      id: toOwnUuid(id),
      platform_id: toOwnUuid(platformId),
      owner: toOwnUuid(owner),
      name,
      currency,
      normal_side: normalSide,
      may_overdraw: mayOverdraw,
    })
  }

  #transfer(index: number, write: WriteOf<'transfer'>): void {
    const { id, platformId, debit, credit, currency, amount, state, cause, causeId, at } = write
    const isPosted = state === 'posted'
    const time = toIsoTime(at)
    const args = this.#args
    args.add('transfer_rows', {
      id,
      platform_id: platformId,
      debit_account_id: debit,
      credit_account_id: credit,
      currency,
      amount,
      state,
      cause,
      cause_id: causeId,
      created_at: time,
      ended_at: isPosted ? time : null,
    })
    const from = this.#accountIndex(debit)
    args.add('transfer_debits', from)
    // A pending transfer does not affect the credited account.
    const to = isPosted ? this.#accountIndex(credit) : null
    args.add('transfer_credits', to)
    this.#move(index, from, to === null ? 0n : -amount, to === null ? amount : 0n)
    if (to !== null) this.#move(index, to, amount, 0n)
  }

  #endTransfer(index: number, { id, debit, credit, amount, state, at }: WriteOf<'end'>): void {
    const args = this.#args
    const from = this.#accountIndex(debit)
    const to = state === 'posted' ? this.#accountIndex(credit) : null
    args.add('step_writes', index)
    args.add('step_transfers', id)
    args.add('step_debits', from)
    args.add('step_credits', to)
    args.add('step_amounts', amount)
    args.add('step_states', state)
    args.add('step_times', toIsoTime(at))
    this.#move(index, from, to === null ? 0n : -amount, -amount)
    if (to !== null) this.#move(index, to, amount, 0n)
  }

  /** Adds the effect of a write on an account, or an event that shows the account after it. */
  #move(index: number, account: number, amount: bigint, held: bigint, event = 0): void {
    const args = this.#args
    args.add('move_writes', index)
    args.add('move_accounts', account)
    args.add('move_amounts', amount)
    args.add('move_helds', held)
    args.add('move_events', event)
  }

  /** The position of an account in the list of accounts, to which it is added on first use. */
  #accountIndex(account: string): number {
    const index = this.#accountIndexes.get(account) ?? this.#args.add('accounts', account)
    this.#accountIndexes.set(account, index)
    return index
  }
}

const INSERTED_TABLES: ReadonlySet<string> = new Set(INSERTED)

function isInserted(table: RecordTable): table is InsertedTable {
  return INSERTED_TABLES.has(table)
}

/** True if an update merely settles a transaction. Most updates do. */
function isSettlement({ table, expect, set }: WriteOf<'update'>): boolean {
  return (
    table === 'transactions' &&
    typeof set.settled_at === 'string' &&
    Object.keys(expect).join() === 'state' &&
    Object.keys(set).sort().join() === 'settled_at,state,updated_at'
  )
}

const REPLY_COLUMNS: ReadonlySet<string> = new Set(['state', 'rail_reference', 'delivered_at', 'updated_at'])

/**
 * True if an update merely marks a rail payment as accepted or delivered. Nearly all updates of this table
 * do.
 */
function isRailReply({ table, expect, set }: WriteOf<'update'>): boolean {
  return (
    table === 'rail_payments' &&
    Object.keys(expect).join() === 'state' &&
    typeof set.state === 'string' &&
    Object.entries(set).every(([column, value]) => REPLY_COLUMNS.has(column) && typeof value === 'string')
  )
}
