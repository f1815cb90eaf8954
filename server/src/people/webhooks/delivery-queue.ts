import { type Op, plusSeconds } from '../../kernel/operation/app.ts'
import { StaleRead } from '../../kernel/operation/operation.ts'
import { type DeliveryKind, deliveryJob } from '../../kernel/outbox/events.ts'
import { expectRow, insert, update, type Write } from '../../storage/commit/writes.ts'
import type { DeliveryPayload, JobRow } from '../../storage/rows/job.ts'
import { newDelivery } from './delivery-record.ts'
import { type Predecessor, selectSuccessor } from './delivery-store.ts'
import { giveUpAt } from './retry-schedule.ts'

const SLEEP_SECONDS_MIN = 1800

/**
 * Puts a delivery to sleep until the previous one ends and wakes it; the due time is only a safeguard. It marks the
 * previous delivery. Guard: that one has not ended. Its end is guarded by the mark, so neither misses the other.
 */
export function waitFor(
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
export async function wakeSuccessor(op: Op, objectId: string, sequence: number): Promise<Write[]> {
  const successor = await selectSuccessor(op, objectId, sequence)
  if (!successor) return []
  const writes = attemptNow(op, successor)
  return writes.length > 0 ? writes : [expectRow('jobs', successor.id, { kind: successor.kind })]
}

/**
 * Makes a sleeping job due; a job that is due or running stays as it is. Guard: it has not been started meanwhile, because
 * both would then send the event.
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
