import type { EventType } from '@countersign/contract/events/events'
import type { Op } from '../../kernel/operation/app.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { EventRow } from '../../storage/rows/event.ts'

/** The platform's answer to a delivery: any status, and its body where it is JSON. */
export interface WebhookAnswer {
  readonly status: number
  readonly body: unknown
}

/**
 * Interprets an answer to an event that asks a question. `ended`: the event is not sent again. The writes become part of
 * the delivery's write set. Undefined: 2xx and 409 end the delivery, as for every other event. It may run several times
 * for one answer.
 */
export type AnswerRule = (
  op: Op,
  event: Pick<EventRow, 'object_id'>,
  answer: WebhookAnswer,
) => Promise<{ readonly ended: boolean; readonly writes: readonly Write[] } | undefined>

export type AnswerRules = Readonly<Partial<Record<EventType, AnswerRule>>>
