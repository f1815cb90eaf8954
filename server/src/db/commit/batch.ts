import { toJson } from '../../json/json.ts'
import { HOLD_INITIAL, HOLD_TRANSITIONS, type HoldState } from '../schema/states.ts'
import { Parts, type Row } from './batch-parts.ts'
import { CommitArguments } from './commit-arguments.ts'
import { type LedgerEntry, timeText, type Write } from './writes.ts'

/**
 * Write sets as the arguments of `commit_together`. A write is identified by its place, counted through the whole
 * batch.
 */
export interface Batch {
  /** In the order of `COMMIT_TOGETHER`. */
  readonly parameters: readonly string[]
  /** The set of the write at each place. */
  readonly setOf: readonly number[]
}

/** Makes one batch from sets that may be written together (`footprint.ts`). */
export function makeBatch(sets: readonly (readonly Write[])[]): Batch {
  const setOf: number[] = []
  const batch = new BatchArguments()
  for (const [set, writes] of sets.entries())
    for (const write of writes) batch.add(setOf.push(set) - 1, write)
  return { setOf, parameters: batch.parameters() }
}

type WriteOf<Kind extends Write['write']> = Extract<Write, { write: Kind }>

/** The arguments, as they grow write by write. `n` is the place of a write. */
class BatchArguments {
  readonly #args = new CommitArguments()
  readonly #inserts = new Parts()
  readonly #updates = new Parts()
  readonly #expects = new Parts()
  readonly #opens = new Map<string, Row>()
  /** The place of each account in the list of accounts, from 1. */
  readonly #accounts = new Map<string, number>()
  /** The number of events of each object so far. */
  readonly #events = new Map<string, number>()

  add(n: number, write: Write): void {
    switch (write.write) {
      case 'insert':
        this.#insert(write)
        break
      case 'update':
        if (isEnd(write)) this.#end(n, write)
        else this.#update(n, write)
        break
      case 'expect':
        this.#expects.add(write.table, undefined, { n, id: write.id, expect: write.expect })
        break
      case 'remove':
        this.#remove(n, write)
        break
      case 'keep':
        this.#keep(n, write)
        break
      case 'event':
        this.#event(n, write)
        break
      case 'open':
        this.#open(write)
        break
      case 'hold':
        this.#hold(n, write)
        break
      case 'capture':
        this.#release(n, write, write.amount, write.final, HOLD_TRANSITIONS[HOLD_INITIAL].capture_rest)
        break
      case 'void':
        this.#release(n, write, 0n, true, HOLD_TRANSITIONS[HOLD_INITIAL].void)
        break
      case 'post':
        this.#post(n, write)
        break
      case 'close':
        throw new Error('A set that closes an account is written in turn')
    }
  }

  parameters(): readonly string[] {
    return this.#args.texts({
      ...(this.#opens.size > 0 ? { opens: [...this.#opens.values()] } : {}),
      inserts: this.#inserts.inOrder(),
      updates: this.#updates.inOrder(),
      expects: this.#expects.inOrder(),
    })
  }

  #insert({ table, row }: WriteOf<'insert'>): void {
    if (table === 'transactions') this.#args.addRow('transaction_rows', row)
    else if (table === 'jobs') this.#args.addRow('job_rows', row)
    else this.#inserts.add(table, row, row)
  }

  #update(n: number, { table, id, expect, set }: WriteOf<'update'>): void {
    this.#updates.add(table, set, { n, id, expect, set })
  }

  /** Adds a transaction that reaches a final state. */
  #end(n: number, { id, expect, set }: WriteOf<'update'>): void {
    const args = this.#args
    args.add('end_writes', n)
    args.add('end_ids', id)
    args.add('end_expected', expect.state)
    args.add('end_states', set.state)
    args.add('end_settled', set.settled_at)
    args.add('end_updated', set.updated_at)
  }

  #remove(n: number, { id }: WriteOf<'remove'>): void {
    this.#args.add('removal_writes', n)
    this.#args.add('removal_jobs', id)
  }

  #keep(n: number, { row }: WriteOf<'keep'>): void {
    this.#args.add('key_writes', n)
    this.#args.addRow('key_rows', row)
    this.#args.add('key_bodies', row.body)
  }

  #event(n: number, { id, platformId, type, objectId, at, data, balanceOf }: WriteOf<'event'>): void {
    const sequence = (this.#events.get(objectId) ?? 0) + 1
    this.#events.set(objectId, sequence)
    const event = this.#args.addRow('event_rows', {
      id,
      platform_id: platformId,
      type,
      object_id: objectId,
      sequence,
      created_at: timeText(at),
    })
    this.#args.add('event_data', toJson(data))
    if (balanceOf !== undefined) this.#move(n, this.#placeOf(balanceOf), 0n, 0n, event)
  }

  #open({ id, platformId, owner, name, currency, normalSide, mayOverdraw }: WriteOf<'open'>): void {
    this.#placeOf(id)
    this.#opens.set(id, {
      id,
      platform_id: platformId,
      owner,
      name,
      currency,
      normal_side: normalSide,
      may_overdraw: mayOverdraw,
    })
  }

  #hold(n: number, hold: WriteOf<'hold'>): void {
    this.#move(n, this.#placeOf(hold.account), 0n, hold.amount)
    this.#args.addRow('hold_rows', {
      ...causeOf(hold),
      account_id: hold.account,
      amount: hold.amount,
      captured: 0,
      state: HOLD_INITIAL,
      updated_at: timeText(hold.at),
    })
  }

  /** Releases the rest of a hold. The database knows the amount. */
  #release(
    n: number,
    { hold, account, at }: WriteOf<'capture' | 'void'>,
    amount: bigint,
    isFinal: boolean,
    state: HoldState,
  ): void {
    const args = this.#args
    const place = this.#placeOf(account)
    args.add('release_writes', n)
    args.add('release_holds', hold)
    args.add('release_accounts', place)
    args.add('release_amounts', amount)
    args.add('release_finals', isFinal)
    args.add('release_states', state)
    args.add('release_times', timeText(at))
    args.add('release_moves', this.#move(n, place, 0n, 0n))
  }

  #post(n: number, transfer: WriteOf<'post'>): void {
    const { id, platformId, entries, at } = transfer
    this.#args.addRow('transfer_rows', causeOf(transfer))
    for (const [line, { account, amount }] of entries.entries()) {
      this.#args.addRow('entry_rows', {
        transfer_id: id,
        line: line + 1,
        account_id: account,
        amount,
        created_at: timeText(at),
      })
      this.#args.add('entry_accounts', this.#placeOf(account))
      this.#args.add('entry_platforms', platformId)
    }
    for (const [account, amount] of sumsOf(entries)) this.#move(n, this.#placeOf(account), amount, 0n)
  }

  /** Adds the effect of a write on an account, or the event that shows it afterwards. Returns its place. */
  #move(n: number, account: number, amount: bigint, held: bigint, event = 0): number {
    const args = this.#args
    args.add('move_writes', n)
    args.add('move_accounts', account)
    args.add('move_amounts', amount)
    args.add('move_helds', held)
    return args.add('move_events', event)
  }

  /** The place of an account in the list of accounts. Adds it if it is missing. */
  #placeOf(account: string): number {
    const place = this.#accounts.get(account) ?? this.#args.add('accounts', account)
    this.#accounts.set(account, place)
    return place
  }
}

/** Whether an update only settles a transaction, as most updates do. */
function isEnd({ table, expect, set }: WriteOf<'update'>): boolean {
  return (
    table === 'transactions' &&
    typeof set.settled_at === 'string' &&
    Object.keys(expect).join() === 'state' &&
    Object.keys(set).sort().join() === 'settled_at,state,updated_at'
  )
}

function causeOf({ id, platformId, cause, causeId, at }: WriteOf<'hold' | 'post'>): Row {
  return { id, platform_id: platformId, cause, cause_id: causeId, created_at: timeText(at) }
}

/** The effect of a transfer on each account: its balance is checked after the whole transfer. */
function sumsOf(entries: readonly LedgerEntry[]): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { account, amount } of entries) sums.set(account, (sums.get(account) ?? 0n) + amount)
  return sums
}
