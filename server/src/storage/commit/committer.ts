import { WRONG_NODE } from '../engine/distributed-schema.ts'
import { type Database, DiskFull, NoConnection, sqlState, wasRefused } from '../engine/port.ts'
import { continueFeed, MOVED_FEED } from '../schema/continue-feed.ts'
import { type Batch, type BatchedSet, makeBatch, type SharedRow } from './batch.ts'
import { COMMIT_TOGETHER, type RowTypes, readRowTypes } from './commit-arguments.ts'
import { BatchFootprint, footprintOf } from './footprint.ts'
import { type Refusal, readRefusal, readRefusedWrites } from './refusal.ts'
import type { Write } from './writes.ts'

/** The outcome of a write set: written, or refused by one of its guards with nothing written. */
export type CommitResult =
  | {
      readonly done: true
      /** Shared job rows of the set, by the id that each job would have had without the others. */
      readonly shared?: ReadonlyMap<string, SharedRow>
    }
  | ({ readonly done: false } & Refusal)

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
  /** Sets written in one batch, with the seconds until their results. */
  batch(sets: number, seconds: number): void
  /** A transaction conflicted with another process's and is repeated. */
  conflict(): void
  /** The outcome of one set. */
  set(writes: readonly Write[], result: CommitResult | 'fault'): void
}

/** The maximum number of sets per batch. */
const BATCH_SETS_MAX = 128
/** The maximum number of batches in progress: one is sent while the result of another is pending. */
const COMMITS_UNDER_WAY_MAX = 2
/** During a batch, the sets of the next one gather: each commit costs about as much as five sets. */
const SECOND_COMMIT_SETS_MIN = 16
/** Pause after the database ran out of disk space, before the next set may try. */
const ROOM_MS = 10_000
const DATATYPE_MISMATCH = '42804'
/**
 * Serialization failure, deadlock, a commit on the wrong node, whose connection was closed, and tables whose rows have
 * other types than when they were read.
 */
const RETRIED: ReadonlySet<string | undefined> = new Set(['40001', '40P01', WRONG_NODE, DATATYPE_MISMATCH])
/** The maximum number of account records remembered as stored; each takes about a kilobyte. */
const RECORDS_MAX = 20_000
const CONFLICT_ATTEMPTS_MAX = 10

interface Waiting extends BatchedSet {
  /** True if the set has a batch to itself. */
  readonly isAlone: boolean
  readonly onWriting: ((sets: number) => void) | undefined
  readonly resolve: (result: CommitResult) => void
  readonly reject: (error: unknown) => void
}

interface Queue {
  readonly db: Database
  readonly observer: CommitObserver | undefined
  /** Stored account records, with their digests. */
  readonly records: Map<string, string>
  types: RowTypes | undefined
  /** In order of arrival. */
  waiting: Waiting[]
  /** Footprints of the batches that are being written. */
  readonly underWay: Set<BatchFootprint>
  isScheduled: boolean
  /** The time when the database last had no disk space; reset when a write succeeds. */
  fullAtMs: number
}

/** Sets written in one batch. */
interface Taken {
  readonly sets: readonly Waiting[]
  readonly combined: BatchFootprint
}

export function createCommitter(db: Database, observer?: CommitObserver): Committer {
  const queue: Queue = {
    db,
    records: new Map(),
    types: undefined,
    observer,
    waiting: [],
    underWay: new Set(),
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
    const footprint = footprintOf(writes)
    queue.waiting.push({ writes, footprint, isAlone: footprint.isAlone, onWriting, resolve, reject })
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
function write(queue: Queue, { sets, combined }: Taken): void {
  const { observer } = queue
  queue.underWay.add(combined)
  for (const { onWriting } of sets) onWriting?.(sets.length)
  const begunMs = performance.now()
  void commitSets(queue, sets)
    // Our own bug must not block later sets.
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
  if (underWay.size > 0 && waiting.length < SECOND_COMMIT_SETS_MIN) return undefined
  const combined = new BatchFootprint()
  const sets = takeSets(queue, combined, first.isAlone)
  return sets.length > 0 ? { sets, combined } : undefined
}

/**
 * Takes sets that can be written together, and concurrently with the batches in progress. A set that uses a
 * record of another set in the batch may be refused after it, so it gets a batch to itself.
 */
function takeSets(queue: Queue, combined: BatchFootprint, isAlone: boolean): Waiting[] {
  const taken: Waiting[] = []
  const left: Waiting[] = []
  const max = isAlone ? 1 : BATCH_SETS_MAX
  for (const item of queue.waiting) {
    const { footprint } = item
    if (item.isAlone !== isAlone || taken.length === max) left.push(item)
    else if (combined.conflictsWith(footprint)) left.push({ ...item, isAlone: true })
    else if ([...queue.underWay].some((other) => other.blocks(footprint))) left.push(item)
    else {
      combined.add(footprint)
      taken.push(item)
    }
  }
  queue.waiting = left
  return taken
}

/**
 * Writes the sets in one transaction. If it is refused, nothing is written, and two parts of them are tried: the
 * sets whose guards may have failed and the others, or halves if that is not known. So a set fails only for its own
 * reason.
 */
async function commitSets(queue: Queue, sets: readonly Waiting[]): Promise<void> {
  const suspects = await commitOnce(queue, sets)
  if (suspects === undefined) return
  const half = sets.length / 2
  const isKnown = suspects.size > 0 && suspects.size < sets.length
  const isLater = (item: Waiting, place: number) => (isKnown ? suspects.has(item) : place >= half)
  await commitSets(
    queue,
    sets.filter((item, place) => !isLater(item, place)),
  )
  await commitSets(queue, sets.filter(isLater))
}

/**
 * Writes the sets in one call, and settles them. If several were refused together, they are not settled, and the result
 * is those whose guards may have failed.
 */
async function commitOnce(queue: Queue, sets: readonly Waiting[]): Promise<ReadonlySet<Waiting> | undefined> {
  const { db, observer, records } = queue
  for (let attempt = 1; ; attempt++) {
    queue.types ??= await readRowTypes(db)
    let batch: Batch | undefined
    try {
      batch = makeBatch(sets, records, queue.types)
      await db.query(COMMIT_TOGETHER, batch.parameters, { connection: 'fast' })
      settleWritten(queue, sets, batch)
      return undefined
    } catch (error) {
      const state = sqlState(error)
      if (state === DATATYPE_MISMATCH) queue.types = undefined
      if (attempt === CONFLICT_ATTEMPTS_MAX || !RETRIED.has(state))
        return await settleFailed(queue, sets, batch, error)
      observer?.conflict()
    }
  }
}

function settleWritten({ records }: Queue, sets: readonly Waiting[], { shared, newRecords }: Batch): void {
  if (records.size + newRecords.size > RECORDS_MAX) records.clear()
  for (const [text, digest] of newRecords) records.set(text, digest)
  for (const item of sets) item.resolve(shared.size > 0 ? { done: true, shared } : { done: true })
}

/** Without a batch, the sets could not be encoded, and nothing was sent. */
async function settleFailed(
  { db }: Queue,
  sets: readonly Waiting[],
  batch: Batch | undefined,
  error: unknown,
): Promise<ReadonlySet<Waiting> | undefined> {
  if (await hasMovedFeed(db, error)) {
    for (const item of sets) item.resolve(MOVED)
    return undefined
  }
  // If the connection was lost, the outcome is unknown, and a retry could write twice.
  const isUnknown = batch !== undefined && !wasRefused(error)
  if (sets.length > 1 && !isUnknown) {
    const suspects = new Set(readRefusedWrites(error).map((place) => batch?.setOf[place]))
    return new Set(sets.filter((_, set) => suspects.has(set)))
  }
  const refusal = readRefusal(error)
  for (const item of sets)
    if (refusal && !isUnknown) item.resolve({ done: false, ...refusal })
    else item.reject(error)
  return undefined
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
