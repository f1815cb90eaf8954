import {
  WEBHOOK_DELIVERY_INITIAL,
  WEBHOOK_DELIVERY_TRANSITIONS,
  type WebhookDeliveryEvent,
} from '@countersign/contract/core/states'
import { expectRow, insert, update, type Write } from '../db/commit/writes.ts'
import type { DeliveryPayload, JobRow } from '../db/schema/job-tables.ts'
import type { EventRow, WebhookDeliveryRow } from '../db/schema/tables.ts'
import { type DeliveryKind, deliveryJob, deliveryKind, webhookEndpoint } from '../events/events.ts'
import type { JobHandler } from '../jobs/kinds.ts'
import { type Op, plusSeconds } from '../op/app.ts'
import { StaleRead } from '../op/operation.ts'
import { nextState, transition } from '../op/transition.ts'
import type { AnswerRules } from './answers.ts'
import { type Attempt, attempt, attemptWrite, jsonOf } from './attempt.ts'
import { giveUpAt, retryAt } from './schedule.ts'
import { type Predecessor, selectDelivery, selectEvent, selectPredecessor, selectSuccessor } from './store.ts'

const SLEEP_SECONDS_MIN = 1800

/** What an attempt makes of the delivery of an event. */
interface Verdict {
  readonly by: WebhookDeliveryEvent
  readonly writes: readonly Write[]
}

/**
 * Delivers events, at least once, those of one object in their order: an event sleeps until the one before it ends.
 */
export function createDeliver(rules: AnswerRules): JobHandler<DeliveryKind> {
  const once = createOnce()
  return async (op, payload) => {
    const event = await selectEvent(op, payload.eventId)
    const url = webhookEndpoint(op.platform)
    if (!event || url === undefined) return []
    const { objectId } = payload
    const kind = deliveryKind(event.type)
    const before = objectId === undefined ? undefined : await selectPredecessor(op, objectId, event.sequence)
    if (before) return waitFor(op, before, kind, { ...payload, sequence: event.sequence })
    const tried = await once(op, () => attempt(op, event, url))
    // Whoever waits says so in the delivery.
    const delivery = await selectDelivery(op, event.id)
    const attempts = (delivery?.attempts ?? 0) + 1
    const until = giveUpAt(payload.since === undefined ? event.created_at : new Date(payload.since))
    const { by, writes } = await judge(op, rules, event, tried, until)
    op.log[by === 'fail' ? 'warn' : 'debug'](
      {
        event: event.id,
        type: event.type,
        attempts,
        state: stateOfFirst(by),
        status: tried.answer?.status,
        error: tried.error,
      },
      'webhook tried',
    )
    const next =
      by === 'retry'
        ? [deliveryJob(op, kind, { ...payload, sequence: event.sequence }, retryAt(op, attempts, until))]
        : objectId !== undefined && delivery?.is_awaited
          ? await wakeSuccessor(op, objectId, event.sequence)
          : []
    return [
      recordTry(op, event, delivery, by),
      attemptWrite(op, event.id, attempts, tried),
      ...writes,
      ...next,
    ]
  }
}

async function judge(
  op: Op,
  rules: AnswerRules,
  event: EventRow,
  tried: Attempt,
  until: Date,
): Promise<Verdict> {
  const { answer } = tried
  const body = answer && jsonOf(answer)
  const ruled = answer && (await rules[event.type]?.(op, event, { status: answer.status, body }))
  const ended = ruled ? ruled.ended : answer !== undefined && isReceived(answer.status)
  const writes = ruled?.writes ?? []
  if (ended) return { by: 'deliver', writes }
  return { by: event.type === 'TEST' || op.now >= until ? 'fail' : 'retry', writes }
}

/** 409 says that it was received before. */
export function isReceived(status: number): boolean {
  return (status >= 200 && status < 300) || status === 409
}

/** Guard: no other try has been recorded meanwhile, and nobody has begun to wait. */
function recordTry(
  op: Op,
  event: EventRow,
  delivery: WebhookDeliveryRow | undefined,
  by: WebhookDeliveryEvent,
): Write {
  if (!delivery) return insert('webhook_deliveries', { ...newDelivery(op, event.id, by), attempts: 1 })
  const { attempts, is_awaited, ended_at } = delivery
  const isEnded = nextState(WEBHOOK_DELIVERY_TRANSITIONS, delivery.state, by) !== WEBHOOK_DELIVERY_INITIAL
  const change = { attempts: attempts + 1, ended_at: isEnded ? (ended_at ?? op.now) : null }
  const guard = { attempts, is_awaited }
  return transition(op, 'webhook_deliveries', WEBHOOK_DELIVERY_TRANSITIONS, delivery, by, change, guard).write
}

/** The state of a delivery after its first attempt. */
function stateOfFirst(by: WebhookDeliveryEvent): WebhookDeliveryRow['state'] {
  return WEBHOOK_DELIVERY_TRANSITIONS[WEBHOOK_DELIVERY_INITIAL][by]
}

/** The record of a delivery that begins, or of one after its first attempt. */
export function newDelivery(op: Op, eventId: string, by?: WebhookDeliveryEvent): WebhookDeliveryRow {
  const state = by === undefined ? WEBHOOK_DELIVERY_INITIAL : stateOfFirst(by)
  return {
    id: eventId,
    platform_id: op.platform.id,
    state,
    attempts: 0,
    redeliveries: 0,
    is_awaited: false,
    ended_at: state === WEBHOOK_DELIVERY_INITIAL ? null : op.now,
  }
}

/**
 * Sleeps until the one before it ends, which then wakes it; the time is for nothing but safety. It marks the delivery of
 * that one. Guard: that one has not ended. And that one's end is guarded by the mark, so neither misses the other.
 */
function waitFor(
  op: Op,
  { id, created_at, state, is_awaited }: Predecessor,
  kind: DeliveryKind,
  payload: DeliveryPayload,
): Write[] {
  if (state !== null && state !== 'PENDING') throw new StaleRead('An event that ended is still due')
  const mark =
    state === null
      ? insert('webhook_deliveries', { ...newDelivery(op, id), is_awaited: true })
      : is_awaited
        ? expectRow('webhook_deliveries', id, { state })
        : update('webhook_deliveries', id, { state }, { is_awaited: true })
  const later = Math.max(giveUpAt(created_at).getTime(), plusSeconds(op.now, SLEEP_SECONDS_MIN).getTime())
  return [mark, deliveryJob(op, kind, payload, new Date(later))]
}

/**
 * Makes the event that waits due. It may be awake and about to go back to sleep, where it was woken for another reason.
 * Guard, then: it has not done so, which would replace its work; afterwards it finds that this one has ended.
 */
async function wakeSuccessor(op: Op, objectId: string, sequence: number): Promise<Write[]> {
  const successor = await selectSuccessor(op, objectId, sequence)
  if (!successor) return []
  const writes = tryNow(op, successor)
  return writes.length > 0 ? writes : [expectRow('jobs', successor.id, { kind: successor.kind })]
}

/**
 * Makes work due that sleeps; what is due, or being done, stays as it is. Guard: nobody has begun with it meanwhile, who
 * would send what the new work sends as well.
 */
export function tryNow(op: Op, waiting: JobRow<DeliveryKind>): Write[] {
  const { id, kind, payload, due_at, claimed_until, attempts } = waiting
  if (due_at <= op.now || claimed_until !== null) return []
  return [
    expectRow('jobs', id, { attempts, claimed_until }),
    { write: 'remove', table: 'jobs', id },
    deliveryJob(op, kind, payload, op.now),
  ]
}

/** For so long a piece of work is not sent again: about as long as a process may have it to itself. */
const ONCE_MS = 30_000
/** Answers that are kept for it at most, each of up to 64 KiB. More than there are deliveries under way. */
const ONCE_ENTRIES_MAX = 256

/**
 * Sends once per piece of work, however often that is run: a guard that failed asks for a new decision and not for a new
 * try.
 */
function createOnce() {
  const sent = new Map<string, { readonly sinceMs: number; readonly attempt: Promise<Attempt> }>()
  return (op: Op, send: () => Promise<Attempt>): Promise<Attempt> => {
    const now = performance.now()
    for (const [id, { sinceMs }] of sent) {
      if (now - sinceMs < ONCE_MS && sent.size < ONCE_ENTRIES_MAX) break
      sent.delete(id)
    }
    if (op.actor.kind !== 'job') return send()
    const known = sent.get(op.actor.jobId)
    if (known) return known.attempt
    const attempt = send()
    sent.set(op.actor.jobId, { sinceMs: now, attempt })
    return attempt
  }
}
