import { envelope } from './delivery-attempt.ts'
import type { EventWithDelivery } from './store.ts'

/** An event as the feed shows it, with its delivery status. */
export function eventView(event: EventWithDelivery) {
  return { ...envelope(event), deliveryStatus: event.status } as const
}
