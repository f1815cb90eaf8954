import type { EventType } from '@countersign/contract/events/events'
import type { Op } from '../../kernel/operation/app.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { EventRow } from '../../storage/rows/event.ts'

/** The platform's response to a delivery: any status, and the body if it is JSON. */
export interface WebhookAnswer {
  readonly status: number
  readonly body: unknown
}

/**
 * Interprets the response to an event that asks a question; may run several times for one response. `ended`:
 * the event is not sent again; the writes become part of the delivery's write set. Undefined: 2xx and 409 end
 * the delivery, as for every other event.
 */
export type AnswerRule = (
  op: Op,
  event: Pick<EventRow, 'object_id'>,
  answer: WebhookAnswer,
) => Promise<{ readonly ended: boolean; readonly writes: readonly Write[] } | undefined>

export type AnswerRules = Readonly<Partial<Record<EventType, AnswerRule>>>
