import { setTimeout } from 'node:timers/promises'
import type { CommitResult } from '../db/commit/committer.ts'
import type { Write } from '../db/commit/writes.ts'
import type { App, Op } from '../op/app.ts'
import { ApiError, StaleRead } from '../op/operation.ts'

/** How long an operation may keep missing others, and wait for its turn, before its caller is told to come again. */
const CONTENTION_MS_MAX = 15_000
/** Whoever misses others so often meets something that does not go away. */
const TRIES_MAX = 30
/** What a refusal leaves behind is tried so often. */
const REWRITES_MAX = 5
/** Between two tries, at most: what is missed in turn is missed because of another process. */
const PAUSE_MS_MAX = 100

/** What an operation answers, and what must be written for that to be true. */
export interface Decided<Answer> {
  readonly answer: Answer
  readonly writes: readonly Write[]
}

/**
 * Decides and commits, again from the reads on where a guard failed or reads were stale: from the third time on in turn with
 * others who have missed each other at the same records. `replay` gives the answer that was given before, if there is one; then nothing is
 * decided. Error: 503 `UNAVAILABLE` where that has taken too long.
 */
export async function decideAndCommit<Answer>(
  app: App,
  op: Op,
  replay: () => Promise<Answer | undefined>,
  decide: () => Promise<Decided<Answer>>,
): Promise<Answer> {
  const endMs = performance.now() + CONTENTION_MS_MAX
  const records = new Set<string>()
  let endTurn: (() => void) | undefined
  try {
    for (let tries = 1; ; tries++) {
      const before = await replay()
      if (before !== undefined) return before
      const outcome = await once(app, op, replay, decide)
      if ('answer' in outcome) return outcome.answer
      if (tries === TRIES_MAX) throw tooBusy()
      // Mostly the rules say on the second run what has changed, and there is nothing to wait for.
      if (tries === 1) continue
      for (const record of outcome.contested) records.add(record)
      endTurn?.()
      endTurn = await app.turns.take([...records], endMs - performance.now())
      if (!endTurn) throw tooBusy()
      // The first time in turn there is nobody else; whoever misses others then, meets those of another process.
      if (tries > 2) await setTimeout(pauseMs(op, tries))
    }
  } finally {
    endTurn?.()
  }
}

/** One try. Without an answer it gives the records at which it met others. */
async function once<Answer>(
  app: App,
  op: Op,
  replay: () => Promise<Answer | undefined>,
  decide: () => Promise<Decided<Answer>>,
): Promise<{ readonly answer: Answer } | { readonly contested: readonly string[] }> {
  let decided: Decided<Answer>
  try {
    decided = await decide()
  } catch (error) {
    if (error instanceof StaleRead) return { contested: [] }
    // Refused, perhaps, because the same request in parallel has just been done: then its answer is this one's too.
    const done = await replay()
    if (done !== undefined) return { answer: done }
    throw error
  }
  const result = await commit(app, op, decided.writes)
  return result.done ? { answer: decided.answer } : { contested: contestedBy(op, decided.writes, result) }
}

/** Writes what a refusal leaves behind: it is not decided again, only tried again. */
export async function commitForSure(app: App, op: Op, writes: readonly Write[]): Promise<void> {
  for (let tries = 0; tries <= REWRITES_MAX; tries++) if ((await commit(app, op, writes)).done) return
  throw new Error('What a refusal leaves behind was not written')
}

async function commit(app: App, op: Op, writes: readonly Write[]): Promise<CommitResult> {
  return writes.length === 0 ? { done: true } : await app.commit(op, writes)
}

/** The records whose guard has failed. Where the guard names none, all of the platform's that it may be about are one. */
function contestedBy(
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

/** By chance, so that two processes do not miss each other again, and longer with every try. */
function pauseMs(op: Op, tries: number): number {
  const chance = op.random(1)[0]! / 256
  return chance * Math.min(2 ** tries, PAUSE_MS_MAX)
}

function tooBusy(): ApiError {
  return new ApiError('UNAVAILABLE', {
    message: 'Too many requests are changing the same records. Try again.',
    headers: { 'Retry-After': '1' },
  })
}
