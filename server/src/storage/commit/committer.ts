import { toJson } from '../../base/json/json.ts'
import { WRONG_NODE } from '../engine/distributed-schema.ts'
import { type Database, DiskFull, NoConnection, onlyRow, sqlState, wasRefused } from '../engine/port.ts'
import { continueFeed, MOVED_FEED } from '../schema/continue-feed.ts'
import { makeBatch, type SharedRow } from './batch.ts'
import { COMMIT_TOGETHER, type Parameter, type RowTypes, readRowTypes } from './commit-arguments.ts'
import { BatchFootprint, type Footprint, footprintOf } from './footprint.ts'
import { toStoredWrite } from './stored-write.ts'
import type { Write } from './writes.ts'

/** The outcome of a write set: written, or refused by one of its guards with nothing written. */
export type CommitResult =
  | {
      readonly done: true
      /** Shared job rows of the set, by the id that each job would have had alone. */
      readonly shared?: ReadonlyMap<string, SharedRow>
    }
  | { readonly done: false; readonly guard: Guard; readonly name: string }

/** `overflow`: the balance of an account exceeds its type. */
export type Guard = 'unique' | 'expectation' | 'overdraft' | 'overflow'

/**
 * The only writer. Write sets that arrive during a commit share the next database transaction; each has its
 * own result, and one that fails does not affect the others. `commit` resolves when the set is durable.
 */
export interface Committer {
  /**
   * `onWriting` is called with the number of sets in the batch whenever a commit that includes this set
   * starts.
   */
  commit(writes: readonly Write[], onWriting?: (sets: number) => void): Promise<CommitResult>
  /**
   * False after the database refused a set for lack of disk space, until a pause has passed and the next set
   * may try.
   */
  hasDiskSpace(): boolean
}

/** Observes commits, for metrics. */
export interface CommitObserver {
  /** Sets that were written in one batch, with the seconds until their results. */
  batch(sets: number, seconds: number): void
  /** A transaction conflicted with another process's and is repeated. */
  conflict(): void
  /** The outcome of one set. */
  set(writes: readonly Write[], result: CommitResult | 'fault'): void
}

/** The most sets that one batch writes together, with a statement per table. */
const TOGETHER_SETS_MAX = 128
/** The most sets that are written in turn, with a statement per write. More would delay all others. */
const IN_TURN_SETS_MAX = 16
/** The most batches in progress: one is sent while the result of another is pending. */
const COMMITS_UNDER_WAY_MAX = 2
/** During a batch, the sets of the next one gather: each commit costs about as much as five sets. */
const SECOND_COMMIT_SETS_MIN = 16
/** Pause after the database ran out of disk space, before the next set may try. */
const ROOM_MS = 10_000
/** Serialization failure, deadlock, and a commit on the wrong node, whose connection was closed. */
const RETRIED: ReadonlySet<string | undefined> = new Set(['40001', '40P01', WRONG_NODE])
const NUMERIC_VALUE_OUT_OF_RANGE = '22003'
const DATATYPE_MISMATCH = '42804'
/** SQLSTATE of `commit_together`: a guard failed, and nothing was written. */
const REFUSED_TOGETHER = 'CS002'
/** The most account records that are remembered as stored; each takes about a kilobyte. */
const RECORDS_MAX = 20_000
const CONFLICT_ATTEMPTS_MAX = 10
/** After this many batches with a failed guard, the rest is written in turn. */
const TOGETHER_ATTEMPTS_MAX = 3

interface Waiting {
  readonly writes: readonly Write[]
  /** Undefined if the set must be written in turn. */
  readonly footprint: Footprint | undefined
  readonly onWriting: ((sets: number) => void) | undefined
  readonly resolve: (result: CommitResult) => void
  readonly reject: (error: unknown) => void
}

interface Queue {
  readonly db: Database
  readonly observer: CommitObserver | undefined
  /** Records of accounts that are stored, with their digests. */
  readonly records: Map<string, string>
  types: RowTypes | undefined
  /** In order of arrival. */
  waiting: Waiting[]
  /** Footprints of the batches that are being written. */
  readonly underWay: Set<BatchFootprint>
  /** True if the last started batch is written in turn. */
  isInTurn: boolean
  isScheduled: boolean
  /** The time when the database last had no disk space; reset when a write succeeds. */
  fullAtMs: number
}

/** Sets that are written in one batch. */
interface Taken {
  readonly sets: readonly Waiting[]
  readonly combined: BatchFootprint
  readonly isTogether: boolean
}

export function createCommitter(db: Database, observer?: CommitObserver): Committer {
  const queue: Queue = {
    db,
    records: new Map(),
    types: undefined,
    observer,
    waiting: [],
    underWay: new Set(),
    isInTurn: false,
    isScheduled: false,
    fullAtMs: Number.NEGATIVE_INFINITY,
  }
  return {
    commit: (writes, onWriting) => commit(queue, writes, onWriting),
    hasDiskSpace: () => performance.now() - queue.fullAtMs > ROOM_MS,
  }
}

function commit(
  queue: Queue,
  writes: readonly Write[],
  onWriting?: Waiting['onWriting'],
): Promise<CommitResult> {
  const { observer } = queue
  const committed = new Promise<CommitResult>((resolve, reject) => {
    queue.waiting.push({ writes, footprint: footprintOf(writes), onWriting, resolve, reject })
    schedule(queue)
  })
  committed.then(
    (result) => {
      queue.fullAtMs = Number.NEGATIVE_INFINITY
      observer?.set(writes, result)
    },
    (error) => {
      if (error instanceof DiskFull) queue.fullAtMs = performance.now()
      observer?.set(writes, 'fault')
    },
  )
  return committed
}

/** Schedules a batch: sets that arrive within one turn of the event loop are written together. */
function schedule(queue: Queue): void {
  if (queue.isScheduled || queue.underWay.size === COMMITS_UNDER_WAY_MAX) return
  queue.isScheduled = true
  setImmediate(begin, queue)
}

/** Starts to write everything that can be written now. */
function begin(queue: Queue): void {
  queue.isScheduled = false
  for (let taken = takeNext(queue); taken !== undefined; taken = takeNext(queue)) write(queue, taken)
}

/** Writes the taken sets. Afterwards, sets that waited for them can start. */
function write(queue: Queue, { sets, combined, isTogether }: Taken): void {
  const { observer } = queue
  queue.underWay.add(combined)
  queue.isInTurn = !isTogether
  for (const { onWriting } of sets) onWriting?.(sets.length)
  const begunMs = performance.now()
  void (isTogether ? commitTogether(queue, sets) : commitInTurn(queue.db, sets, observer))
    // A fault of ours, such as a value that cannot be encoded, must not block later sets.
    .catch((error) => {
      for (const set of sets) set.reject(error)
    })
    .then(() => {
      observer?.batch(sets.length, (performance.now() - begunMs) / 1000)
      queue.underWay.delete(combined)
      schedule(queue)
    })
}

/** Takes the next sets. Undefined if they have to wait, or the queue is empty. */
function takeNext(queue: Queue): Taken | undefined {
  const { waiting, underWay } = queue
  const first = waiting[0]
  if (first === undefined || underWay.size === COMMITS_UNDER_WAY_MAX) return undefined
  const isTogether = first.footprint !== undefined
  // Sets that are written in turn run alone, because their records are not known.
  if (underWay.size > 0 && (!isTogether || queue.isInTurn || waiting.length < SECOND_COMMIT_SETS_MIN))
    return undefined
  const combined = new BatchFootprint()
  const sets = isTogether ? takeTogether(queue, combined) : takeInTurn(queue)
  return sets.length > 0 ? { sets, combined, isTogether } : undefined
}

/**
 * Takes sets that can be written together, and concurrently with the batches in progress. A set that uses a
 * record of another set in the batch is written in turn after it.
 */
function takeTogether(queue: Queue, combined: BatchFootprint): Waiting[] {
  const taken: Waiting[] = []
  const left: Waiting[] = []
  for (const item of queue.waiting) {
    const { footprint } = item
    if (footprint === undefined || taken.length === TOGETHER_SETS_MAX) left.push(item)
    else if (combined.conflictsWith(footprint)) left.push({ ...item, footprint: undefined })
    else if ([...queue.underWay].some((other) => other.blocks(footprint))) left.push(item)
    else {
      combined.add(footprint)
      taken.push(item)
    }
  }
  queue.waiting = left
  return taken
}

/** Takes the first of the sets that are written in turn. */
function takeInTurn(queue: Queue): Waiting[] {
  const taken = queue.waiting.filter(({ footprint }) => footprint === undefined).slice(0, IN_TURN_SETS_MAX)
  const isTaken = new Set(taken)
  queue.waiting = queue.waiting.filter((item) => !isTaken.has(item))
  return taken
}

/** Writes all sets in one call if no guard fails. Sets for which a guard may have failed are written in turn. */
async function commitTogether(queue: Queue, batch: readonly Waiting[]): Promise<void> {
  let left = batch
  const suspected: Waiting[] = []
  for (let attempt = 1; left.length > 0 && attempt <= TOGETHER_ATTEMPTS_MAX; attempt++) {
    try {
      const suspects = await callTogether(queue, left)
      if (suspects === 'written') left = []
      else if (suspects.size === 0) break
      else {
        suspected.push(...suspects)
        left = left.filter((item) => !suspects.has(item))
      }
    } catch (error) {
      if (wasRefused(error)) break
      for (const item of left) item.reject(error)
      left = []
    }
  }
  const inTurn = [...left, ...suspected]
  for (let first = 0; first < inTurn.length; first += IN_TURN_SETS_MAX)
    await commitInTurn(queue.db, inTurn.slice(first, first + IN_TURN_SETS_MAX), queue.observer)
}

/**
 * Writes these sets in one call. If a guard fails, nothing is written, and the result is the sets whose
 * guards may have failed.
 */
async function callTogether(
  queue: Queue,
  sets: readonly Waiting[],
): Promise<ReadonlySet<Waiting> | 'written'> {
  const { db, observer, records } = queue
  queue.types ??= await readRowTypes(db)
  const writes = sets.map((item) => item.writes)
  const { parameters, setOf, shared, newRecords } = makeBatch(writes, records, queue.types)
  try {
    await call(db, COMMIT_TOGETHER, parameters, observer)
  } catch (error) {
    if (await hasMovedFeed(db, error)) {
      for (const item of sets) item.resolve(MOVED)
      return 'written'
    }
    // The tables were recreated, so their row types have other numbers.
    if (sqlState(error) === DATATYPE_MISMATCH) queue.types = undefined
    if (sqlState(error) !== REFUSED_TOGETHER) throw error
    const refused = new Set(readRefusedPlaces(error).map((place) => setOf[place]))
    return new Set(sets.filter((_, set) => refused.has(set)))
  }
  if (records.size + newRecords.size > RECORDS_MAX) records.clear()
  for (const [text, digest] of newRecords) records.set(text, digest)
  for (const item of sets) item.resolve(shared.size > 0 ? { done: true, shared } : { done: true })
  return 'written'
}

/** Places of the writes whose guards may have failed. */
function readRefusedPlaces(error: unknown): readonly number[] {
  if (!(error instanceof Error && 'detail' in error)) throw error
  return JSON.parse(String(error.detail))
}

/** Writes the sets in turn within one database transaction. Each has its own result. */
async function commitInTurn(
  db: Database,
  batch: readonly Waiting[],
  observer?: CommitObserver,
): Promise<void> {
  const sets = batch.map((item) => item.writes.map(toStoredWrite))
  try {
    const rows = await call<{ results: ({ guard: Guard; name: string } | null)[] }>(
      db,
      'SELECT commit_write_sets($1::jsonb) AS results',
      [toJson(sets)],
      observer,
    )
    const { results } = onlyRow(rows)
    for (const [index, item] of batch.entries()) {
      const refusal = results[index]
      item.resolve(refusal ? { done: false, ...refusal } : { done: true })
    }
  } catch (error) {
    if (await hasMovedFeed(db, error)) {
      for (const item of batch) item.resolve(MOVED)
      return
    }
    // A fault, not a guard. If the database refused the batch, nothing was written, so each set is retried
    // alone and gets only its own fault. If the connection was lost, the outcome is unknown, and a retry
    // could write twice.
    const only = batch.length === 1 ? batch[0] : undefined
    if (only && sqlState(error) === NUMERIC_VALUE_OUT_OF_RANGE)
      only.resolve({ done: false, guard: 'overflow', name: 'numeric_value_out_of_range' })
    else if (only || !wasRefused(error)) for (const item of batch) item.reject(error)
    else {
      const half = Math.ceil(batch.length / 2)
      await commitInTurn(db, batch.slice(0, half), observer)
      await commitInTurn(db, batch.slice(half), observer)
    }
  }
}

/** The operation runs again, because it may have read numbers of the feed. */
const MOVED: CommitResult = { done: false, guard: 'expectation', name: 'feed_node' }

/**
 * True if the database had moved to another cluster. Then nothing was written, and the feed is continued. Throws NoConnection if it
 * cannot be, or if the commit did not run on the node of its schema: no commit is possible until the operator has acted.
 */
async function hasMovedFeed(db: Database, error: unknown): Promise<boolean> {
  const state = sqlState(error)
  if (state === WRONG_NODE)
    throw new NoConnection('commits do not run on the node of their schema', { cause: error })
  if (state !== MOVED_FEED) return false
  try {
    await continueFeed(db)
  } catch (cause) {
    throw new NoConnection('the feed of events cannot be continued', { cause })
  }
  return true
}

/** Runs a statement that commits. Retries after a conflict with another process's commit. */
async function call<Row>(
  db: Database,
  sql: string,
  parameters: readonly Parameter[],
  observer?: CommitObserver,
): Promise<Row[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await db.query<Row>(sql, parameters, { connection: 'fast' })).rows
    } catch (error) {
      const state = sqlState(error)
      if (attempt >= CONFLICT_ATTEMPTS_MAX || !RETRIED.has(state)) throw error
      observer?.conflict()
    }
  }
}
