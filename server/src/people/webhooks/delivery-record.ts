import {
  WEBHOOK_DELIVERY_INITIAL,
  WEBHOOK_DELIVERY_TRANSITIONS,
  type WebhookDeliveryEvent,
} from '@countersign/contract/states/delivery-states'
import type { Op } from '../../kernel/operation/app.ts'
import { nextState, transition } from '../../kernel/operation/transition.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { EventRow } from '../../storage/rows/event.ts'
import type { WebhookDeliveryRow } from '../../storage/rows/tables.ts'
import { type Attempt, jsonOf } from './delivery-attempt.ts'
import type { AnswerRules } from './response-rules.ts'

/** The outcome of an attempt for its delivery: ended, or to be retried. */
export interface Verdict {
  readonly by: WebhookDeliveryEvent
  readonly writes: readonly Write[]
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
export function stateOfFirst(by: WebhookDeliveryEvent): WebhookDeliveryRow['state'] {
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
