import {
  WEBHOOK_DELIVERY_INITIAL,
  WEBHOOK_DELIVERY_TRANSITIONS,
  type WebhookDeliveryEvent,
} from '@countersign/contract/states/delivery-states'
import { type Op, plusSeconds } from '../../kernel/operation/app.ts'
import { StaleRead } from '../../kernel/operation/operation.ts'
import { nextState, transition } from '../../kernel/operation/transition.ts'
import { type DeliveryKind, deliveryJob, deliveryKind, webhookEndpoint } from '../../kernel/outbox/events.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { expectRow, insert, update, type Write } from '../../storage/commit/writes.ts'
import type { EventRow } from '../../storage/rows/event.ts'
import type { DeliveryPayload, JobRow } from '../../storage/rows/job.ts'
import type { WebhookDeliveryRow } from '../../storage/rows/tables.ts'
import { type DeliveryFault, takeDeliveryFault } from '../platforms/fault-rules.ts'
import { type Attempt, attempt, attemptWrite, jsonOf } from './delivery-attempt.ts'
import type { AnswerRules } from './response-rules.ts'
import { giveUpAt, retryAt } from './retry-schedule.ts'
import { type Predecessor, selectDelivery, selectEvent, selectPredecessor, selectSuccessor } from './store.ts'

const SLEEP_SECONDS_MIN = 1800
/** Sandbox: for how long later events pass one that is to be out of order. */
const PASSED_SECONDS = 10

/** The outcome of an attempt for its delivery: ended, or to be retried. */
interface Verdict {
  readonly by: WebhookDeliveryEvent
  readonly writes: readonly Write[]
}

/**
 * Delivers events at least once, those of one object in order: an event sleeps until the previous one ends.
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
    const fault = await takeDeliveryFault(op, payload, event.type)
    if (fault?.webhook === 'reorder') return letOthersPass(op, event, fault, payload)
    const sent = await once(op, () => attempt(op, event, url))
    const attempted = fault ? unheard(sent) : sent
    // A later event that waits has marked this delivery.
    const delivery = await selectDelivery(op, event.id)
    const attempts = (delivery?.attempts ?? 0) + 1
    const until = giveUpAt(payload.since === undefined ? event.created_at : new Date(payload.since))
    const { by, writes } = await judge(op, rules, event, attempted, until)
    op.log[by === 'fail' ? 'warn' : 'debug'](
      {
        event: event.id,
        type: event.type,
        attempts,
        state: stateOfFirst(by),
        status: attempted.answer?.status,
        error: attempted.error,
      },
      'webhook tried',
    )
    const next =
      by === 'retry'
        ? [deliveryJob(op, kind, retried(payload, event, fault), retryAt(op, attempts, until))]
        : objectId !== undefined && delivery?.is_awaited
          ? await wakeSuccessor(op, objectId, event.sequence)
          : []
    return [
      recordAttempt(op, event, delivery, by),
      attemptWrite(op, event.id, attempts, attempted),
      ...writes,
      ...next,
      ...(fault?.writes ?? []),
    ]
  }
}

function retried(payload: DeliveryPayload, { sequence }: EventRow, fault: DeliveryFault | undefined) {
  return { ...payload, sequence, ...(fault ? { fault: 'done' as const } : {}) }
}

/** An attempt whose answer the sandbox has lost: the event arrives once more. */
function unheard({ url, startedAt, durationMs }: Attempt): Attempt {
  return { url, startedAt, durationMs, error: 'SANDBOX_FAULT' }
}

/**
 * Delivers an event of the sandbox after later ones, of its object too: they do not wait for it any more. Guard: nobody has
 * begun to wait meanwhile, or was not seen.
 */
async function letOthersPass(
  op: Op,
  event: EventRow,
  { writes }: DeliveryFault,
  { objectId, ...payload }: DeliveryPayload,
): Promise<Write[]> {
  const delivery = await selectDelivery(op, event.id)
  const at = plusSeconds(op.now, PASSED_SECONDS)
  const { is_awaited = false } = delivery ?? {}
  return [
    ...writes,
    delivery
      ? expectRow('webhook_deliveries', event.id, { is_awaited })
      : insert('webhook_deliveries', newDelivery(op, event.id)),
    deliveryJob(op, deliveryKind(event.type), { ...payload, fault: 'done' }, at),
    ...(objectId !== undefined && is_awaited ? await wakeSuccessor(op, objectId, event.sequence) : []),
  ]
}

export async function judge(
  op: Op,
  rules: AnswerRules,
  event: EventRow,
  attempted: Attempt,
  until: Date,
): Promise<Verdict> {
  const { answer } = attempted
  const body = answer && jsonOf(answer)
  const ruled = answer && (await rules[event.type]?.(op, event, { status: answer.status, body }))
  const ended = ruled ? ruled.ended : answer !== undefined && isReceived(answer.status)
  const writes = ruled?.writes ?? []
  if (ended) return { by: 'deliver', writes }
  return { by: event.type === 'TEST' || op.now >= until ? 'fail' : 'retry', writes }
}

/** 409 means that the event was already received. */
export function isReceived(status: number): boolean {
  return (status >= 200 && status < 300) || status === 409
}

/** Guard: no other attempt was recorded meanwhile, and no later event has begun to wait. */
export function recordAttempt(
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

/** The record of a new delivery, or of one after its first attempt. */
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
 * Puts a delivery to sleep until the previous one ends and wakes it; the due time is only a safeguard. It marks the
 * previous delivery. Guard: that one has not ended. Its end is guarded by the mark, so neither misses the other.
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
 * Makes the waiting event due. It may be awake for another reason and about to sleep again. Guard, in that case: it has not
 * done so, which would replace its job; afterwards it finds that this one has ended.
 */
async function wakeSuccessor(op: Op, objectId: string, sequence: number): Promise<Write[]> {
  const successor = await selectSuccessor(op, objectId, sequence)
  if (!successor) return []
  const writes = attemptNow(op, successor)
  return writes.length > 0 ? writes : [expectRow('jobs', successor.id, { kind: successor.kind })]
}

/**
 * Makes a sleeping job due; a job that is due or under way stays as it is. Guard: nobody has started it meanwhile, because
 * then both would send the event.
 */
export function attemptNow(op: Op, waiting: JobRow<DeliveryKind>): Write[] {
  const { id, kind, payload, due_at, claimed_until, attempts } = waiting
  if (due_at <= op.now || claimed_until !== null) return []
  return [
    expectRow('jobs', id, { attempts, claimed_until }),
    { write: 'remove', table: 'jobs', id },
    deliveryJob(op, kind, payload, op.now),
  ]
}

/** How long a job is not sent again: about as long as its claim lasts. */
const ONCE_MS = 30_000
/** The most answers kept for that, each of up to 64 KiB. More than the deliveries under way. */
const ONCE_ENTRIES_MAX = 256

/** What a service has sent, by job. */
type Sent = Map<string, { readonly sinceMs: number; readonly attempt: Promise<Attempt> }>

/**
 * Sends once per job, however often the job is decided again: a failed guard needs a new decision, not a new attempt. Each service of
 * this process remembers its own.
 */
export function createOnce() {
  const sentBy = new WeakMap<Op['db'], Sent>()
  return (op: Op, send: () => Promise<Attempt>): Promise<Attempt> => {
    const sent: Sent = sentBy.get(op.db) ?? new Map()
    sentBy.set(op.db, sent)
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
