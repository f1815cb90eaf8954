import { toEnvelope } from './delivery-attempt.ts'
import type { EventWithDelivery } from './store.ts'

/** An event as the feed shows it, with its delivery status. */
export function toEventView(event: EventWithDelivery) {
  return { ...toEnvelope(event), deliveryStatus: event.status } as const
}
