import { toJson } from '../../json/json.ts'
import { type Database, sqlState, wasRefused } from '../engine/port.ts'
import { type Footprint, footprintOf, Ground, makeBatch } from './batch.ts'
import { COMMIT_TOGETHER } from './commit-arguments.ts'
import type { Write } from './writes.ts'

/** What came of a write set: done, or refused by one of its guards with nothing written. */
export type CommitResult =
  | { readonly done: true }
  | { readonly done: false; readonly guard: Guard; readonly name: string }
/** `overflow`: an account cannot count so much. */
export type Guard = 'unique' | 'expectation' | 'overdraft' | 'overflow'

/**
 * The only writer. Write sets that arrive while a commit is under way share the next database transaction; each has
 * its own result, and one that fails leaves its neighbours alone. `commit` resolves when the set is durable.
 */
export interface Committer {
  commit(writes: readonly Write[]): Promise<CommitResult>
}

/** Whoever counts what commits came to. */
export interface CommitObserver {
  /** So many sets were taken to be written at once, and after so long each had its result. */
  batch(sets: number, seconds: number): void
  /** A transaction met another process's, and is repeated. */
  conflict(): void
  /** What came of one set. */
  set(writes: readonly Write[], result: CommitResult | 'fault'): void
}

/** Of sets that are written together, a statement per table for all of them. */
const TOGETHER_SETS_MAX = 128
/** Of sets that are written one after the other, a statement per write: more would keep everybody else waiting. */
const IN_TURN_SETS_MAX = 16
/** One beside another, while its result is waited for. */
const COMMITS_UNDER_WAY_MAX = 2
/** While one is under way, the sets of the next gather: each commit costs as much as five sets or so. */
const SECOND_COMMIT_SETS_MIN = 16
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'
const NUMERIC_VALUE_OUT_OF_RANGE = '22003'
/** `commit_together`: a guard failed, and it did not write anything. */
const REFUSED_TOGETHER = 'CS002'
const CONFLICT_TRIES_MAX = 10
/** After so many batches that a guard failed in, what is left is written in turn. */
const TOGETHER_TRIES_MAX = 3

interface Waiting {
  readonly writes: readonly Write[]
  /** Undefined: to be written in turn. */
  readonly footprint: Footprint | undefined
  readonly resolve: (result: CommitResult) => void
  readonly reject: (error: unknown) => void
}

export function createCommitter(db: Database, observer?: CommitObserver): Committer {
  let waiting: Waiting[] = []
  /** Of the batches that are being written. */
  const underWay = new Set<Ground>()
  let isInTurn = false
  let isScheduled = false

  /** Not at once: what is decided within one turn of the event loop is written together. */
  function schedule(): void {
    if (isScheduled || underWay.size === COMMITS_UNDER_WAY_MAX) return
    isScheduled = true
    setImmediate(begin)
  }

  function begin(): void {
    isScheduled = false
    while (waiting.length > 0 && underWay.size < COMMITS_UNDER_WAY_MAX) {
      const isTogether = waiting[0]!.footprint !== undefined
      // What is written in turn is alone: nobody knows what it meets.
      if (underWay.size > 0 && (!isTogether || isInTurn || waiting.length < SECOND_COMMIT_SETS_MIN)) return
      const ground = new Ground()
      const batch = isTogether ? takeTogether(ground) : takeInTurn()
      if (batch.length === 0) return
      underWay.add(ground)
      isInTurn = !isTogether
      const begunMs = performance.now()
      void (isTogether ? commitTogether : commitInTurn)(db, batch, observer)
        // A fault of ours, such as a value that cannot be written down: it must not hold up those who come after.
        .catch((error) => {
          for (const item of batch) item.reject(error)
        })
        .then(() => {
          observer?.batch(batch.length, (performance.now() - begunMs) / 1000)
          underWay.delete(ground)
          schedule()
        })
    }
  }

  /**
   * The sets that can be written together, and beside what is being written. One that meets a record of another one of
   * the batch is written in turn after them.
   */
  function takeTogether(ground: Ground): Waiting[] {
    const taken: Waiting[] = []
    const left: Waiting[] = []
    for (const item of waiting) {
      const { footprint } = item
      if (footprint === undefined || taken.length === TOGETHER_SETS_MAX) left.push(item)
      else if (ground.meets(footprint)) left.push({ ...item, footprint: undefined })
      else if ([...underWay].some((other) => other.blocks(footprint))) left.push(item)
      else {
        ground.add(footprint)
        taken.push(item)
      }
    }
    waiting = left
    return taken
  }

  function takeInTurn(): Waiting[] {
    const taken = waiting.filter(({ footprint }) => footprint === undefined).slice(0, IN_TURN_SETS_MAX)
    const isTaken = new Set(taken)
    waiting = waiting.filter((item) => !isTaken.has(item))
    return taken
  }

  return {
    commit(writes) {
      const all = withDeliveries(writes)
      const committed = new Promise<CommitResult>((resolve, reject) => {
        waiting.push({ writes: all, footprint: footprintOf(all), resolve, reject })
        schedule()
      })
      if (observer)
        committed.then(
          (result) => observer.set(all, result),
          () => observer.set(all, 'fault'),
        )
      return committed
    },
  }
}

/** The due work that an event brings along stands behind it. */
function withDeliveries(writes: readonly Write[]): readonly Write[] {
  const hasDelivery = (write: Write) => write.write === 'event' && write.delivery !== undefined
  if (!writes.some(hasDelivery)) return writes
  return writes.flatMap((write): Write[] => {
    if (write.write !== 'event' || write.delivery === undefined) return [write]
    const { delivery, ...event } = write
    return [event, delivery]
  })
}

/** All of the sets in one call, where no guard fails. Those that one may have failed for are written in turn. */
async function commitTogether(
  db: Database,
  batch: readonly Waiting[],
  observer?: CommitObserver,
): Promise<void> {
  let left = batch
  const suspected: Waiting[] = []
  for (let tries = 1; left.length > 0; tries++) {
    const { parameters, setOf } = makeBatch(left.map((item) => item.writes))
    try {
      await call(db, COMMIT_TOGETHER, parameters, observer)
      for (const item of left) item.resolve({ done: true })
      left = []
    } catch (error) {
      if (!wasRefused(error)) {
        for (const item of left) item.reject(error)
        left = []
        break
      }
      const suspects = new Set(placesOf(error).map((place) => left[setOf[place]!]!))
      if (suspects.size === 0 || tries === TOGETHER_TRIES_MAX) break
      suspected.push(...suspects)
      left = left.filter((item) => !suspects.has(item))
    }
  }
  const inTurn = [...left, ...suspected]
  for (let first = 0; first < inTurn.length; first += IN_TURN_SETS_MAX)
    await commitInTurn(db, inTurn.slice(first, first + IN_TURN_SETS_MAX), observer)
}

/** The places of the writes that a guard of `commit_together` may have failed for; none where it is another error. */
function placesOf(error: unknown): readonly number[] {
  if (sqlState(error) !== REFUSED_TOGETHER) return []
  return JSON.parse((error as { detail: string }).detail) as number[]
}

/** The sets one after the other, within one database transaction: each has its own result. */
async function commitInTurn(
  db: Database,
  batch: readonly Waiting[],
  observer?: CommitObserver,
): Promise<void> {
  const sets = batch.map((item) => item.writes)
  try {
    const rows = await call<{ results: ({ guard: Guard; name: string } | null)[] }>(
      db,
      'SELECT commit_write_sets($1::jsonb) AS results',
      [toJson(sets)],
      observer,
    )
    for (const [index, item] of batch.entries()) {
      const refusal = rows[0]!.results[index]
      item.resolve(refusal ? { done: false, ...refusal } : { done: true })
    }
  } catch (error) {
    // Not a guard but a fault. Where the database refused the batch, nothing of it was written: alone, each set meets
    // only its own fault. Where the connection was lost, nobody knows; trying again could do it twice.
    const [only] = batch
    if (batch.length === 1 && sqlState(error) === NUMERIC_VALUE_OUT_OF_RANGE)
      only!.resolve({ done: false, guard: 'overflow', name: 'numeric_value_out_of_range' })
    else if (batch.length === 1 || !wasRefused(error)) for (const item of batch) item.reject(error)
    else {
      const half = Math.ceil(batch.length / 2)
      await commitInTurn(db, batch.slice(0, half), observer)
      await commitInTurn(db, batch.slice(half), observer)
    }
  }
}

/** A statement that commits. One that met another process's commit is tried again. */
async function call<Row>(
  db: Database,
  sql: string,
  parameters: readonly string[],
  observer?: CommitObserver,
): Promise<Row[]> {
  for (let tries = 1; ; tries++) {
    try {
      return (await db.query<Row>(sql, parameters, { isBrief: true })).rows
    } catch (error) {
      const state = sqlState(error)
      if (tries >= CONFLICT_TRIES_MAX || (state !== SERIALIZATION_FAILURE && state !== DEADLOCK)) throw error
      observer?.conflict()
    }
  }
}
