import { present } from '@countersign/contract/core/objects'
import { deliveryJob, deliveryKind, webhookEndpoint } from '../../kernel/outbox/events.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { ReplayPayload } from '../../storage/rows/job.ts'
import { type Attempt, attempt, attemptWrite } from './delivery-attempt.ts'
import { judge, recordAttempt } from './delivery-record.ts'
import type { AnswerRules } from './response-rules.ts'
import { giveUpAt, retryAt } from './retry-schedule.ts'
import { findSecrets } from './secrets.ts'
import { createOnce } from './send-once.ts'
import { type EventFilters, selectDelivery, selectFirstEvent } from './store.ts'

/** The events that are left of a replay. */
export function replayed({ startDate, endDate, types, after }: ReplayPayload): EventFilters {
  return {
    startDate: new Date(startDate),
    endDate: new Date(endDate),
    ...present({ types }),
    ...(after ? { after: { committed_in: after.committedIn, position: BigInt(after.position) } } : {}),
  }
}

/**
 * Delivers the next event of a replay, and makes the one after it due. An attempt that fails is repeated by itself, so that the
 * others go on; an event that is being retried already is passed over.
 */
export function createReplay(rules: AnswerRules): JobHandler<'webhook.replay'> {
  const once = createOnce<Attempt>()
  return async (op, payload) => {
    const url = webhookEndpoint(op.platform)
    const event = url === undefined ? undefined : await selectFirstEvent(op, replayed(payload))
    if (url === undefined || !event) return []
    const after = { committedIn: event.committed_in, position: String(event.position) }
    const next = job(op, 'webhook.replay', { ...payload, after }, op.now)
    if (event.is_due) return [next]
    const attempted = await once(op, async () => attempt(op, event, { url, secrets: await findSecrets(op) }))
    const delivery = await selectDelivery(op, event.id)
    const attempts = (delivery?.attempts ?? 0) + 1
    const until = giveUpAt(op.now)
    const { by, writes } = await judge(op, rules, event, attempted, until)
    const since = { eventId: event.id, since: op.now.toISOString() }
    return [
      recordAttempt(op, event, delivery, by),
      attemptWrite(op, event.id, attempts, attempted),
      ...writes,
      ...(by === 'retry'
        ? [deliveryJob(op, deliveryKind(event.type), since, retryAt(op, 1, until, attempted.answer))]
        : []),
      next,
    ]
  }
}
