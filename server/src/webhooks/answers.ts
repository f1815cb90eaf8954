import type { EventType } from '@countersign/contract/events/events'
import type { Write } from '../db/commit/writes.ts'
import type { EventRow } from '../db/schema/tables.ts'
import type { Op } from '../op/app.ts'

/** How the platform answered a delivery: any status, and its body as JSON where it is that. */
export interface WebhookAnswer {
  readonly status: number
  readonly body: unknown
}

/**
 * What an answer means, for events that ask something of the platform. `ended`: it is not sent again. The writes are
 * in the write set of the delivery. Undefined: as for every other event, 2xx and 409 end it. It may run several times
 * for one answer.
 */
export type AnswerRule = (
  op: Op,
  event: EventRow,
  answer: WebhookAnswer,
) => Promise<{ readonly ended: boolean; readonly writes: readonly Write[] } | undefined>

export type AnswerRules = Readonly<Partial<Record<EventType, AnswerRule>>>
