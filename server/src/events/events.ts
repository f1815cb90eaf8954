import type { EventType } from '@countersign/contract/events'
import type { Op } from '../app.ts'
import type { EventWrite } from '../db/writes.ts'

/** The outbox row of a state change, written in the transaction of the change. `data` is the record as the API shows it. */
export function event(op: Op, type: EventType, objectId: string, data: unknown): EventWrite {
  return {
    write: 'event',
    id: op.newId('Event'),
    platformId: op.platform.id,
    type,
    objectId,
    data,
    at: op.now,
  }
}
