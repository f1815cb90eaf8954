import type { PlatformEvent as EventSchema } from '@countersign/contract/events/webhooks'
import type { Static } from 'typebox'

export type PlatformEvent = Static<typeof EventSchema>

/** How far the delivery of an event is, in the words of the page: it moves by itself, so nobody is waited for. */
export function deliveryState(status: PlatformEvent['deliveryStatus']): string {
  if (status === 'PENDING') return 'DELIVERING'
  return status === 'NONE' ? 'NOT_SENT' : status
}
