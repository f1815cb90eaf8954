import { envelope } from './delivery-attempt.ts'
import type { EventWithDelivery } from './store.ts'

/** An event as the feed shows it. */
export function eventView(event: EventWithDelivery) {
  return { ...envelope(event), deliveryStatus: event.is_due ? 'PENDING' : ended(event) } as const
}

/** A delivery that is PENDING without a job was only waited for, or begins with the next write set. */
function ended({ state }: EventWithDelivery) {
  return state === null || state === 'PENDING' ? 'NONE' : state
}
