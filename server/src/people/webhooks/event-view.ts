import { envelope } from './delivery-attempt.ts'
import type { EventWithDelivery } from './store.ts'

/** An event as the feed shows it. */
export function eventView(event: EventWithDelivery) {
  return { ...envelope(event), deliveryStatus: event.status } as const
}
