import { toJson } from '../json.ts'
import { type Database, sqlState } from './port.ts'
import type { Write } from './writes.ts'

/** What came of a write set: done, or refused by one of its guards with nothing written. */
export type CommitResult =
  | { readonly done: true }
  | { readonly done: false; readonly guard: Guard; readonly name: string }
export type Guard = 'unique' | 'expectation' | 'overdraft'

/**
 * The only writer. Write sets that arrive while a commit is under way share the next database transaction; each has
 * its own result, and one that fails leaves its neighbours alone. `commit` resolves when the set is durable.
 */
export interface Committer {
  commit(writes: readonly Write[]): Promise<CommitResult>
}

const BATCH_SETS_MAX = 64
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'
const CONFLICT_TRIES_MAX = 10

interface Waiting {
  readonly writes: readonly Write[]
  readonly resolve: (result: CommitResult) => void
  readonly reject: (error: unknown) => void
}

export function createCommitter(db: Database): Committer {
  const waiting: Waiting[] = []
  let underWay = false

  async function drain(): Promise<void> {
    underWay = true
    while (waiting.length > 0) await commitTogether(db, waiting.splice(0, BATCH_SETS_MAX))
    underWay = false
  }

  return {
    commit(writes) {
      return new Promise((resolve, reject) => {
        waiting.push({ writes, resolve, reject })
        if (!underWay) void drain()
      })
    },
  }
}

async function commitTogether(db: Database, batch: Waiting[]): Promise<void> {
  try {
    const results = await commitSets(
      db,
      batch.map((item) => item.writes),
    )
    for (const [index, item] of batch.entries()) item.resolve(results[index]!)
  } catch (error) {
    // Not a guard but a fault. Where the database refused the batch, nothing of it was written: alone, each set meets
    // only its own fault. Where the connection was lost, nobody knows; trying again could do it twice.
    if (batch.length === 1 || !wasRefused(error)) for (const item of batch) item.reject(error)
    else for (const item of batch) await commitTogether(db, [item])
  }
}

/** Whether the database itself answered with an error, and will not have committed: all but loss and shutdown. */
function wasRefused(error: unknown): boolean {
  const state = sqlState(error)
  // EPIPE, of a lost connection, has the form of a SQLSTATE.
  return state !== undefined && state !== 'EPIPE' && !/^(08|57P)/.test(state)
}

async function commitSets(db: Database, sets: readonly (readonly Write[])[]): Promise<CommitResult[]> {
  const text = toJson(sets)
  for (let tries = 1; ; tries++) {
    try {
      const { rows } = await db.query<{ results: ({ guard: Guard; name: string } | null)[] }>(
        'SELECT commit_write_sets($1::jsonb) AS results',
        [text],
      )
      return rows[0]!.results.map((refusal) => (refusal ? { done: false, ...refusal } : { done: true }))
    } catch (error) {
      const state = sqlState(error)
      if (tries >= CONFLICT_TRIES_MAX || (state !== SERIALIZATION_FAILURE && state !== DEADLOCK)) throw error
    }
  }
}
