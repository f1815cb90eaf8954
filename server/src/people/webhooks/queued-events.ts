import type { Op } from '../../kernel/operation/app.ts'
import { deliveryJob } from '../../kernel/outbox/events.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { takeDeliveryFault } from '../platforms/fault-rules.ts'
import { type Attempt, attempt, attemptWrite, type Endpoint, recordedPart } from './delivery-attempt.ts'
import { wakeSuccessor } from './delivery-queue.ts'
import { isReceived, judge, recordAttempt } from './delivery-record.ts'
import { type QueuedEvent, selectQueue, selectQueueStates } from './delivery-store.ts'
import type { AnswerRules } from './response-rules.ts'
import { giveUpAt, retryAt } from './retry-schedule.ts'

/** The most events that one job sends after its own. Their results are committed together. */
const QUEUED_MAX = 64
/** A job starts no further event after this time: its claim must last, and a long job counts as slow. */
const QUEUED_MS_MAX = 1000

/** The events of an object behind one of its events. */
interface Queue {
  readonly objectId: string
  /** The sequence number of that event. */
  readonly after: number
}

/** Events that were sent in order. Only the last one may not have been received. */
export type QueuedSends = readonly { readonly event: QueuedEvent; readonly attempted: Attempt }[]

/**
 * Sends the events that wait behind one that was received, in order, until one is not received. Nothing is recorded yet:
 * after a crash they still wait, and are sent again in the same order.
 */
export async function sendQueued(
  op: Op,
  rules: AnswerRules,
  { objectId, after }: Queue,
  endpoint: Endpoint,
): Promise<QueuedSends> {
  const startedMs = performance.now()
  const sends: { event: QueuedEvent; attempted: Attempt }[] = []
  for (const event of await selectQueue(op, objectId, after, QUEUED_MAX)) {
    const elapsedMs = performance.now() - startedMs
    if (elapsedMs > QUEUED_MS_MAX || !isFirstAttempt(event) || rules[event.type]) break
    if (event.payload.fault || (await takeDeliveryFault(op, event.payload, event.type))) break
    const startedAt = new Date(op.now.getTime() + Math.round(elapsedMs))
    const attempted = recordedPart(await inTrace(op, event, () => attempt(op, event, endpoint, startedAt)))
    sends.push({ event, attempted })
    if (!attempted.answer || !isReceived(attempted.answer.status)) break
  }
  return sends
}

/** An event that was tried before has its own time for the next attempt. */
function isFirstAttempt({ attempts }: QueuedEvent): boolean {
  return (attempts ?? 0) === 0
}

/** Each event continues the trace of its cause. */
function inTrace<T>({ tracing }: Op, { kind, payload }: QueuedEvent, work: () => Promise<T>): Promise<T> {
  return tracing ? tracing.below(payload, { name: `job ${kind}`, kind: 'consumer' }, work) : work()
}

/**
 * Records what was sent, ends the jobs of these events and wakes the event after the last one. A job that has not slept yet
 * finds its event delivered, or its row gone. Guard: no job was replaced and no delivery has changed since they were read,
 * which is after everything was sent.
 */
export async function recordQueued(
  op: Op,
  rules: AnswerRules,
  { objectId, after }: Queue,
  sends: QueuedSends,
): Promise<Write[]> {
  if (sends.length === 0) return wakeSuccessor(op, objectId, after)
  const states = await selectQueueStates(
    op,
    objectId,
    sends.map(({ event }) => event.id),
  )
  const writes: Write[] = []
  let last = after
  let isAwaited = true
  for (const { event, attempted } of sends) {
    const state = states.get(event.id)
    // It is not in the queue any more.
    if (!state) break
    const { jobId, delivery } = state
    const attempts = (delivery?.attempts ?? 0) + 1
    const until = giveUpAt(event.created_at)
    const { by } = await judge(op, rules, event, attempted, until)
    writes.push(
      { write: 'remove', table: 'jobs', id: jobId },
      recordAttempt(op, event, delivery, by),
      attemptWrite(op, event.id, attempts, attempted),
    )
    last = event.sequence
    isAwaited = by !== 'retry' && delivery?.is_awaited === true
    if (by === 'retry') {
      const payload = { ...event.payload, sequence: event.sequence }
      writes.push(deliveryJob(op, event.kind, payload, retryAt(op, attempts, until, attempted.answer)))
    }
  }
  return isAwaited ? [...writes, ...(await wakeSuccessor(op, objectId, last))] : writes
}
