import type { EventType } from '@countersign/contract/events/events'
import { toJson } from '../../base/json/json.ts'
import type { EventWrite, Write } from '../../storage/commit/writes.ts'
import type { DeliveryPayload, JobKind } from '../../storage/rows/job.ts'
import type { PlatformRow } from '../../storage/rows/tables.ts'
import type { Op } from '../operation/app.ts'
import { job } from './jobs.ts'

/** The platform and time of an event, and a source of ids. */
export type EventContext = Pick<Op, 'now' | 'platform' | 'newId' | 'webhookFault'> &
  Partial<Pick<Op, 'tracing'>>

/**
 * The outbox row of a state change, written in the same transaction, and the job that delivers it if the
 * platform has a webhook endpoint. `data` is the record as the API shows it.
 */
export function event(op: EventContext, type: EventType, objectId: string, data: unknown): EventWrite {
  return delivered(op, undelivered(op, type, objectId, toJson(data)))
}

/** An event of a ledger account: `data` is JSON with balances of 0, which the database fills in. */
export function accountEvent(op: EventContext, type: EventType, accountId: string, data: string): EventWrite {
  return delivered(op, { ...undelivered(op, type, accountId, data), ofAccount: true })
}

function delivered(op: EventContext, row: EventWrite): EventWrite {
  const { id: eventId, type, objectId } = row
  if (webhookEndpoint(op.platform) === undefined) return row
  const payload = { eventId, objectId, ...(op.webhookFault ? { fault: op.webhookFault } : {}) }
  return { ...row, delivery: deliveryJob(op, deliveryKind(type), payload, op.now) }
}

/** A TEST event, which refers to no record. The caller has already sent it. */
export function testEvent(op: EventContext): EventWrite {
  const id = op.newId('Event')
  return { ...undelivered(op, 'TEST', id, '{}'), id }
}

/** A TEST event for an endpoint that the same write set adds. */
export function firstEvent(op: EventContext): EventWrite {
  const row = testEvent(op)
  return { ...row, delivery: deliveryJob(op, 'webhook.deliver', { eventId: row.id }, op.now) }
}

/** Events that ask the platform for a decision, for which their object waits. */
const QUESTIONS: ReadonlySet<EventType> = new Set<EventType>(['INCOMING_PAYMENT.PENDING'])

export const DELIVERY_KINDS = ['webhook.ask', 'webhook.deliver'] as const satisfies readonly JobKind[]
export type DeliveryKind = (typeof DELIVERY_KINDS)[number]

export function deliveryKind(type: EventType): DeliveryKind {
  return QUESTIONS.has(type) ? 'webhook.ask' : 'webhook.deliver'
}

/** The job that delivers an event. */
export function deliveryJob(
  op: EventContext,
  kind: DeliveryKind,
  payload: DeliveryPayload,
  dueAt: Date,
): Write {
  return job(op, kind, payload, dueAt)
}

/** The platform's webhook endpoint, if it has one. */
export function webhookEndpoint({ config }: Pick<PlatformRow, 'config'>): string | undefined {
  const { webhookEndpoint } = config
  return typeof webhookEndpoint === 'string' ? webhookEndpoint : undefined
}

function undelivered(op: EventContext, type: EventType, objectId: string, data: string): EventWrite {
  const id = op.newId('Event')
  return { write: 'event', id, platformId: op.platform.id, type, objectId, data, at: op.now }
}
