import type { App, Op } from '../app.ts'
import type { Write } from '../db/writes.ts'
import { ApiError, StaleRead } from '../operation.ts'

/** A failed guard runs the operation again from its reads, at most so often. */
const RERUNS_MAX = 5

/** What an operation answers, and what must be written for that to be true. */
export interface Decided<Answer> {
  readonly answer: Answer
  readonly writes: readonly Write[]
}

/**
 * Decides and commits, again from the reads on where a guard failed or reads were stale. `replay` gives the answer that
 * was given before, if there is one; then nothing is decided. Error: 503 `UNAVAILABLE` where guards kept failing.
 */
export async function decideAndCommit<Answer>(
  app: App,
  op: Op,
  replay: () => Promise<Answer | undefined>,
  decide: () => Promise<Decided<Answer>>,
): Promise<Answer> {
  for (let reruns = 0; reruns <= RERUNS_MAX; reruns++) {
    const before = await replay()
    if (before !== undefined) return before
    let decided: Decided<Answer>
    try {
      decided = await decide()
    } catch (error) {
      if (error instanceof StaleRead) continue
      // Refused, perhaps, because the same request in parallel has just been done: then its answer is this one's too.
      const done = await replay()
      if (done !== undefined) return done
      throw error
    }
    if (await commit(app, op, decided.writes)) return decided.answer
  }
  throw new ApiError('UNAVAILABLE', {
    message: 'Too many requests are changing the same records. Try again.',
  })
}

/** Writes what a refusal leaves behind: it is not decided again, only tried again. */
export async function commitForSure(app: App, op: Op, writes: readonly Write[]): Promise<void> {
  for (let reruns = 0; reruns <= RERUNS_MAX; reruns++) if (await commit(app, op, writes)) return
  throw new Error('What a refusal leaves behind was not written')
}

async function commit(app: App, op: Op, writes: readonly Write[]): Promise<boolean> {
  return writes.length === 0 || (await app.commit(op, writes)).done
}
