import type { PlatformEvent as EventSchema } from '@countersign/contract/events/webhooks'
import type { Static } from 'typebox'

export type PlatformEvent = Static<typeof EventSchema>

/**
 * An event's delivery status as shown on the page. A delivery advances without a person, so none of these is
 * pending work.
 */
export function getDeliveryState(status: PlatformEvent['deliveryStatus']): string {
  if (status === 'PENDING') return 'DELIVERING'
  return status === 'NONE' ? 'NOT_SENT' : status
}
