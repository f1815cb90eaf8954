import type { PlatformEvent as EventSchema } from '@countersign/contract/events/webhooks'
import type { Static } from 'typebox'

export type PlatformEvent = Static<typeof EventSchema>

/** The progress of an event's delivery, in the words of the page: it advances without a person. */
export function deliveryState(status: PlatformEvent['deliveryStatus']): string {
  if (status === 'PENDING') return 'DELIVERING'
  return status === 'NONE' ? 'NOT_SENT' : status
}
