import type { EventType } from '@countersign/contract/events/events'
import type { Op } from '../../kernel/operation/app.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { EventRow } from '../../storage/rows/event.ts'

/** A platform's response to a delivery: any status, and the body if it is JSON. */
export interface WebhookResponse {
  readonly status: number
  readonly body: unknown
}

/**
 * Interprets the response to an event that asks a question. May run several times for one response. If it
 * returns undefined, 2xx and 409 end the delivery, as for every other event.
 */
export type ResponseRule = (
  op: Op,
  event: Pick<EventRow, 'object_id'>,
  response: WebhookResponse,
) => Promise<Ruling | undefined>

interface Ruling {
  /** True if the event is not sent again. */
  readonly ended: boolean
  /** Added to the write set of the delivery. */
  readonly writes: readonly Write[]
}

export type ResponseRules = Readonly<Partial<Record<EventType, ResponseRule>>>
