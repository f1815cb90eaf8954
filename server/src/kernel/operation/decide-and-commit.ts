import { setTimeout } from 'node:timers/promises'
import type { CommitResult } from '../../storage/commit/committer.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { App, Op } from './app.ts'
import { ApiError, StaleRead } from './operation.ts'

/** The time that an operation may spend on retries after conflicts and on waiting for its turn. */
const CONTENTION_MS_MAX = 15_000
/** After this many attempts a conflict is considered permanent. */
const ATTEMPTS_MAX = 30
/** The number of times that committing the writes of a refusal is retried. */
const REWRITES_MAX = 5
/** The longest pause between two attempts. A conflict during a turn is with another process. */
const PAUSE_MS_MAX = 100

/** The response of an operation, and the writes that must be committed with it. */
export interface DecidedResponse<Answer> {
  readonly answer: Answer
  readonly writes: readonly Write[]
}

/**
 * Decides and commits; if `replay` returns an earlier response, nothing is decided. After a failed guard or a
 * stale read it starts over with its reads; from the third attempt on it takes turns with other operations on
 * the same records. Throws 503 `UNAVAILABLE` if this takes too long, and 400 `INVALID_INPUT` if a sum
 * repeatedly exceeds 64 bits.
 */
export async function decideAndCommit<Answer>(
  app: App,
  op: Op,
  replay: () => Promise<Answer | undefined>,
  decide: () => Promise<DecidedResponse<Answer>>,
): Promise<Answer> {
  const endMs = performance.now() + CONTENTION_MS_MAX
  const records = new Set<string>()
  let endTurn: (() => void) | undefined
  try {
    for (let attempt = 1; ; attempt++) {
      const before = await replay()
      if (before !== undefined) return before
      const outcome = await attemptOnce(app, op, replay, decide)
      if ('answer' in outcome) return outcome.answer
      app.tracing?.event('operation.rerun', { attempt, why: outcome.why })
      op.known.forget()
      if (attempt === ATTEMPTS_MAX) throw createTooBusyError()
      // The second attempt usually succeeds or is refused by a rule, so it does not wait for a turn.
      if (attempt === 1) continue
      // A handler that does not notice the overflow will decide the same way every time.
      if (outcome.why === 'overflow') throw createOverflowError()
      for (const record of outcome.contested) records.add(record)
      endTurn?.()
      endTurn = await app.turns.take([...records], endMs - performance.now())
      if (!endTurn) throw createTooBusyError()
      // The first attempt during a turn has no competitor in this process, so a later conflict is with
      // another process.
      if (attempt > 2) await setTimeout(pauseMs(op, attempt))
    }
  } finally {
    endTurn?.()
  }
}

/** Why an attempt failed (the name of the guard, or a stale read), and the contested records. */
interface Contested {
  readonly contested: readonly string[]
  readonly why: string
}

/** Makes one attempt. Returns the contested records if it fails. */
async function attemptOnce<Answer>(
  app: App,
  op: Op,
  replay: () => Promise<Answer | undefined>,
  decide: () => Promise<DecidedResponse<Answer>>,
): Promise<{ readonly answer: Answer } | Contested> {
  let decided: DecidedResponse<Answer>
  try {
    decided = await decide()
  } catch (error) {
    if (error instanceof StaleRead) return { contested: [], why: 'stale read' }
    // If a concurrent request has done the same, its response replaces the refusal.
    const done = await replay()
    if (done !== undefined) return { answer: done }
    throw error
  }
  const result = await commit(app, op, decided.writes)
  return result.done
    ? { answer: decided.answer }
    : { contested: listContestedRecords(op, decided.writes, result), why: result.guard }
}

/** Commits the writes of a refusal. A failed commit is retried without deciding again. */
export async function commitForSure(app: App, op: Op, writes: readonly Write[]): Promise<void> {
  for (let attempt = 0; attempt <= REWRITES_MAX; attempt++) if ((await commit(app, op, writes)).done) return
  throw new Error('Failed to commit the writes of a refusal')
}

async function commit(app: App, op: Op, writes: readonly Write[]): Promise<CommitResult> {
  return writes.length === 0 ? { done: true } : await app.commit(op, writes)
}

/**
 * The records whose guard failed. If the guard does not name any, a single key stands for the whole platform.
 */
function listContestedRecords(
  op: Op,
  writes: readonly Write[],
  { name }: Extract<CommitResult, { done: false }>,
): string[] {
  const records = writes.flatMap((write) => {
    if (write.write === 'keep') return name === KEYS ? [`${name} ${write.row.scope}\n${write.row.key}`] : []
    if (write.write !== 'update' && write.write !== 'expect') return []
    return write.table === name ? [`${name} ${write.id}`] : []
  })
  return records.length > 0 ? records : [`${name} of ${op.platform.id}`]
}

const KEYS = 'idempotency_keys_pkey'

/** A random pause, so that two processes do not collide again. It grows with each attempt. */
function pauseMs(op: Op, attempt: number): number {
  const [byte = 0] = op.random(1)
  const chance = byte / 256
  return chance * Math.min(2 ** attempt, PAUSE_MS_MAX)
}

function createOverflowError(): ApiError {
  return new ApiError('INVALID_INPUT', {
    message: 'With this amount a balance would exceed 64 bits. Nothing was changed.',
  })
}

function createTooBusyError(): ApiError {
  return new ApiError('UNAVAILABLE', {
    message: 'Too many requests are changing the same records. Try again.',
  })
}
