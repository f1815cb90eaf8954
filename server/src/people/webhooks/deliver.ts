import { type Op, plusSeconds } from '../../kernel/operation/app.ts'
import { type DeliveryKind, deliveryJob, deliveryKind, webhookEndpoint } from '../../kernel/outbox/events.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { expectRow, insert, type Write } from '../../storage/commit/writes.ts'
import type { EventRow } from '../../storage/rows/event.ts'
import type { DeliveryPayload } from '../../storage/rows/job.ts'
import { type DeliveryFault, takeDeliveryFault } from '../platforms/fault-rules.ts'
import { type Attempt, attempt, attemptWrite } from './delivery-attempt.ts'
import { waitFor, wakeSuccessor } from './delivery-queue.ts'
import { judge, newDelivery, recordAttempt, stateOfFirst, type Verdict } from './delivery-record.ts'
import { type DueDelivery, selectDueDelivery } from './delivery-store.ts'
import { type QueuedSends, recordQueued, sendQueued } from './queued-events.ts'
import type { AnswerRules } from './response-rules.ts'
import { giveUpAt, retryAt } from './retry-schedule.ts'
import { createOnce } from './send-once.ts'

/** Sandbox: for how long later events pass one that is to be out of order. */
const PASSED_SECONDS = 10

/**
 * Delivers events at least once, and in order per object: an event sleeps until the previous one ends. The job of an
 * event that was received continues with the events that wait behind it.
 */
export function createDeliver(rules: AnswerRules): JobHandler<DeliveryKind> {
  const once = createOnce<Attempt>()
  const queueOnce = createOnce<QueuedSends>()
  return async (op, payload) => {
    const url = webhookEndpoint(op.platform)
    const due = url === undefined ? undefined : await selectDueDelivery(op, payload)
    if (url === undefined || !due) return []
    const { event, delivery, before } = due
    const { objectId } = payload
    const kind = deliveryKind(event.type)
    // The job of an earlier event has delivered it.
    if (objectId !== undefined && !due.isDue) return []
    if (before) return waitFor(op, before, kind, { ...payload, sequence: event.sequence })
    const fault = await takeDeliveryFault(op, payload, event.type)
    if (fault?.webhook === 'reorder') return letOthersPass(op, due, fault, payload)
    const endpoint = { url, secrets: due.secrets }
    const sent = await once(op, () => attempt(op, event, endpoint))
    const attempted = fault ? unheard(sent) : sent
    const attempts = (delivery?.attempts ?? 0) + 1
    const until = giveUpAt(payload.since === undefined ? event.created_at : new Date(payload.since))
    const { by, writes } = await judge(op, rules, event, attempted, until)
    logAttempt(op, event, attempts, by, attempted)
    const own = [
      recordAttempt(op, event, delivery, by),
      attemptWrite(op, event.id, attempts, attempted),
      ...writes,
      ...(fault?.writes ?? []),
    ]
    if (by === 'retry')
      return [
        ...own,
        deliveryJob(op, kind, retried(payload, event, fault), retryAt(op, attempts, until, attempted.answer)),
      ]
    // A later event that waits has marked this delivery.
    if (objectId === undefined || !delivery?.is_awaited) return own
    if (by !== 'deliver' || kind !== 'webhook.deliver' || fault)
      return [...own, ...(await wakeSuccessor(op, objectId, event.sequence))]
    const queue = { objectId, after: event.sequence }
    const queued = await queueOnce(op, () => sendQueued(op, rules, queue, endpoint))
    return [...own, ...(await recordQueued(op, rules, queue, queued))]
  }
}

function logAttempt(
  op: Op,
  { id, type }: EventRow,
  attempts: number,
  by: Verdict['by'],
  { answer, error }: Attempt,
): void {
  op.log[by === 'fail' ? 'warn' : 'debug'](
    { event: id, type, attempts, state: stateOfFirst(by), status: answer?.status, error },
    'webhook tried',
  )
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
  { event, delivery }: DueDelivery,
  { writes }: DeliveryFault,
  { objectId, ...payload }: DeliveryPayload,
): Promise<Write[]> {
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
