import { WRONG_NODE } from '../engine/distributed-schema.ts'
import { type Database, DiskFull, NoConnection, readSqlState, wasRefused } from '../engine/port.ts'
import { continueFeed, MOVED_FEED } from '../schema/continue-feed.ts'
import { type Batch, type BatchedSet, makeBatch, type SharedRow } from './batch.ts'
import { COMMIT_TOGETHER, type RowTypes, readRowTypes } from './commit-arguments.ts'
import { BatchFootprint, computeFootprint } from './footprint.ts'
import { type Refusal, readRefusal, readRefusedWrites } from './refusal.ts'
import type { Write } from './writes.ts'

/**
 * The outcome of a write set: written, or rejected by one of its guards, in which case nothing was written.
 */
export type CommitResult =
  | {
      readonly done: true
      /** The shared job rows of the set, by the ids of their jobs. */
      readonly shared?: ReadonlyMap<string, SharedRow>
    }
  | ({ readonly done: false } & Refusal)

/**
 * The only code that writes. Write sets that arrive during a commit share the next database transaction; each
 * gets its own result, and one that fails does not affect the others. `commit` resolves when the set is
 * durable.
 */
export interface Committer {
  /** `onWriting` is called whenever a commit with this set starts, with the number of sets in the batch. */
  commit(writes: readonly Write[], onWriting?: (sets: number) => void): Promise<CommitResult>
  /** False after the database ran out of disk space, until a pause has passed and the next set may try. */
  hasDiskSpace(): boolean
}

/** Observes commits, for metrics. */
export interface CommitObserver {
  /** A batch of sets was written. `seconds` is the time until its results. */
  batch(sets: number, seconds: number): void
  /** A transaction conflicted with another process's transaction and is retried. */
  conflict(): void
  /** The outcome of one set. */
  set(writes: readonly Write[], result: CommitResult | 'fault'): void
}

/** The maximum number of sets per batch. */
const BATCH_SETS_MAX = 128
/** The maximum number of batches in progress: one can be sent while the result of another is pending. */
const CONCURRENT_COMMITS_MAX = 2
/** A second batch starts only with this many sets, because each commit costs about as much as five sets. */
const SECOND_COMMIT_SETS_MIN = 16
/** The pause after the database ran out of disk space. */
const DISK_FULL_PAUSE_MS = 10_000
const DATATYPE_MISMATCH = '42804'
/**
 * Serialization failure, deadlock, a commit on the wrong node (its connection was closed), and row types that
 * have changed since they were read.
 */
const RETRIED_STATES: ReadonlySet<string | undefined> = new Set([
  '40001',
  '40P01',
  WRONG_NODE,
  DATATYPE_MISMATCH,
])
/** The maximum number of account records remembered as stored. Each takes about a kilobyte. */
const RECORDS_MAX = 20_000
const CONFLICT_ATTEMPTS_MAX = 10

interface Waiting extends BatchedSet {
  /** True if the set must have a batch to itself. */
  readonly isAlone: boolean
  readonly onWriting: ((sets: number) => void) | undefined
  readonly resolve: (result: CommitResult) => void
  readonly reject: (error: unknown) => void
}

interface Queue {
  readonly db: Database
  readonly observer: CommitObserver | undefined
  /** Digests of stored account records, by the record. */
  readonly records: Map<string, string>
  types: RowTypes | undefined
  /** In order of arrival. */
  waiting: Waiting[]
  /** The footprints of the batches being written. */
  readonly inProgress: Set<BatchFootprint>
  isScheduled: boolean
  /** When the database last ran out of disk space. Reset by the next successful write. */
  fullAtMs: number
}

/** The sets of the next batch. */
interface NextBatch {
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
    inProgress: new Set(),
    isScheduled: false,
    fullAtMs: Number.NEGATIVE_INFINITY,
  }
  return {
    commit: (writes, onWriting) => commit(queue, writes, onWriting),
    hasDiskSpace: () => performance.now() - queue.fullAtMs > DISK_FULL_PAUSE_MS,
  }
}

function commit(
  queue: Queue,
  writes: readonly Write[],
  onWriting?: Waiting['onWriting'],
): Promise<CommitResult> {
  const { observer } = queue
  const committed = new Promise<CommitResult>((resolve, reject) => {
    const footprint = computeFootprint(writes)
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

/** Schedules a batch. Sets that arrive within one turn of the event loop are written together. */
function schedule(queue: Queue): void {
  if (queue.isScheduled || queue.inProgress.size === CONCURRENT_COMMITS_MAX) return
  queue.isScheduled = true
  setImmediate(startBatches, queue)
}

/** Starts all batches that can be written now. */
function startBatches(queue: Queue): void {
  queue.isScheduled = false
  for (let batch = takeNextBatch(queue); batch !== undefined; batch = takeNextBatch(queue))
    writeBatch(queue, batch)
}

/** Writes a batch. Afterwards, sets that had to wait for it can start. */
function writeBatch(queue: Queue, { sets, combined }: NextBatch): void {
  const { observer } = queue
  queue.inProgress.add(combined)
  for (const { onWriting } of sets) onWriting?.(sets.length)
  const startedMs = performance.now()
  void commitSets(queue, sets)
    // A bug in this code must not block later sets.
    .catch((error) => {
      for (const set of sets) set.reject(error)
    })
    .then(() => {
      observer?.batch(sets.length, (performance.now() - startedMs) / 1000)
      queue.inProgress.delete(combined)
      schedule(queue)
    })
}

/** Takes the sets of the next batch. Undefined if they have to wait, or if the queue is empty. */
function takeNextBatch(queue: Queue): NextBatch | undefined {
  const { waiting, inProgress } = queue
  const first = waiting[0]
  if (first === undefined || inProgress.size === CONCURRENT_COMMITS_MAX) return undefined
  if (inProgress.size > 0 && waiting.length < SECOND_COMMIT_SETS_MIN) return undefined
  const combined = new BatchFootprint()
  const sets = takeCompatibleSets(queue, combined, first.isAlone)
  return sets.length > 0 ? { sets, combined } : undefined
}

/**
 * Takes sets that can be written together, and at the same time as the batches in progress. A set that uses a
 * record of another set might be rejected after it, so it gets a batch to itself.
 */
function takeCompatibleSets(queue: Queue, combined: BatchFootprint, isAlone: boolean): Waiting[] {
  const batch: Waiting[] = []
  const remaining: Waiting[] = []
  const max = isAlone ? 1 : BATCH_SETS_MAX
  for (const item of queue.waiting) {
    const { footprint } = item
    if (item.isAlone !== isAlone || batch.length === max) remaining.push(item)
    else if (combined.conflictsWith(footprint)) remaining.push({ ...item, isAlone: true })
    else if ([...queue.inProgress].some((other) => other.blocks(footprint))) remaining.push(item)
    else {
      combined.add(footprint)
      batch.push(item)
    }
  }
  queue.waiting = remaining
  return batch
}

/**
 * Writes the sets in one transaction. If it is rejected, nothing was written, and the sets are retried in two
 * parts: those whose guards may have failed and the others, or two halves if that is unknown. So a set fails
 * only for its own reason.
 */
async function commitSets(queue: Queue, sets: readonly Waiting[]): Promise<void> {
  const suspects = await commitOnce(queue, sets)
  if (suspects === undefined) return
  const half = sets.length / 2
  const isKnown = suspects.size > 0 && suspects.size < sets.length
  const isInSecondPart = (item: Waiting, index: number) => (isKnown ? suspects.has(item) : index >= half)
  await commitSets(
    queue,
    sets.filter((item, index) => !isInSecondPart(item, index)),
  )
  await commitSets(queue, sets.filter(isInSecondPart))
}

/**
 * Writes the sets in one call and settles them. If the database rejects several sets together, they remain
 * unsettled, and those whose guards may have failed are returned.
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
      const state = readSqlState(error)
      if (state === DATATYPE_MISMATCH) queue.types = undefined
      if (attempt === CONFLICT_ATTEMPTS_MAX || !RETRIED_STATES.has(state))
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

/** Settles sets after an error. Without `batch`, encoding failed and nothing was sent. */
async function settleFailed(
  { db }: Queue,
  sets: readonly Waiting[],
  batch: Batch | undefined,
  error: unknown,
): Promise<ReadonlySet<Waiting> | undefined> {
  if (await hasMovedFeed(db, error)) {
    for (const item of sets) item.resolve(FEED_MOVED)
    return undefined
  }
  // After a lost connection the outcome is unknown, and a retry could write twice.
  const isUnknown = batch !== undefined && !wasRefused(error)
  if (sets.length > 1 && !isUnknown) {
    const suspects = new Set(readRefusedWrites(error).map((index) => batch?.setNumbers[index]))
    return new Set(sets.filter((_, set) => suspects.has(set)))
  }
  const refusal = readRefusal(error)
  for (const item of sets)
    if (refusal && !isUnknown) item.resolve({ done: false, ...refusal })
    else item.reject(error)
  return undefined
}

/** The operation runs again, because it may have read positions of the old feed. */
const FEED_MOVED: CommitResult = { done: false, guard: 'expectation', name: 'feed_node' }

/**
 * True if the database was moved to another cluster. Then nothing was written, and the event feed has been
 * continued. Throws NoConnection if the feed cannot be continued, or if the commit did not run on the node of
 * its schema: no commit is possible until the operator intervenes.
 */
async function hasMovedFeed(db: Database, error: unknown): Promise<boolean> {
  const state = readSqlState(error)
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
