import type { DELIVERY_STATUSES } from '@countersign/contract/events/webhooks'
import { sql } from 'kysely'
import { EXCLUDED_FROM_FEED } from '../../kernel/outbox/endpoint-feed.ts'

type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** Events that are not sent in feed order. They have a row until they are received. */
const IS_OUTSIDE_FEED = sql`events.type IN (${sql.join(EXCLUDED_FROM_FEED.CONFIGURED)})`

const feedPosition = sql`(events.committed_in, events.position)`

/** Matches events with a row in undelivered_events for the `webhookEndpoint`, or for a replay to it. */
const hasRow = (condition: string) => sql`EXISTS (
  SELECT FROM undelivered_events u JOIN webhook_endpoints w ON w.id = u.endpoint_id
  WHERE u.id = events.id AND w.role <> 'ADDED' AND ${sql.raw(condition)})`

const isDue = hasRow('u.gave_up_at IS NULL AND w.deleted_at IS NULL')
const isGivenUp = hasRow('u.gave_up_at IS NOT NULL')

/** Matches events that happened while the platform had this endpoint, and that match its types and times. */
const matchesEndpoint = sql`w.platform_id = events.platform_id AND events.committed_in >= w.begins_in
  AND (w.ends_in IS NULL OR events.committed_in < w.ends_in)
  AND (w.event_types IS NULL OR events.type = ANY (w.event_types))
  AND (w.events_from IS NULL OR events.created_at BETWEEN w.events_from AND w.events_until)`

const isBeyondCursor = sql`EXISTS (
  SELECT FROM webhook_endpoints w WHERE w.role = 'CONFIGURED' AND w.deleted_at IS NULL AND ${matchesEndpoint}
    AND ${feedPosition} > (w.committed_in, w.position) AND NOT ${IS_OUTSIDE_FEED})`

const isPassed = sql`EXISTS (
  SELECT FROM webhook_endpoints w WHERE w.role <> 'ADDED' AND ${matchesEndpoint}
    AND (${feedPosition} <= (w.committed_in, w.position) OR (w.role = 'CONFIGURED' AND ${IS_OUTSIDE_FEED})))`

const wasReceived = sql`EXISTS (
  SELECT FROM webhook_attempts a WHERE a.event_id = events.id AND (a.status BETWEEN 200 AND 299 OR a.status = 409))`

/**
 * The status of an event's delivery to the `webhookEndpoint`. Events that its cursor has passed were
 * received, unless a row in undelivered_events says otherwise.
 */
export const deliveryStatus = sql<DeliveryStatus>`CASE
  WHEN ${isDue} OR ${isBeyondCursor} THEN 'PENDING'
  WHEN ${isGivenUp} THEN CASE WHEN ${wasReceived} THEN 'DELIVERED' ELSE 'FAILED' END
  WHEN ${isPassed} OR ${wasReceived} THEN 'DELIVERED'
  ELSE 'NONE' END`

/** Selects the ids of a platform's events with a row in undelivered_events. */
export function selectUndelivered(platformId: string, givenUp: 'IS NULL' | 'IS NOT NULL') {
  return sql`(SELECT u.id FROM webhook_endpoints w JOIN undelivered_events u ON u.endpoint_id = w.id
    WHERE w.platform_id = ${platformId} AND w.role <> 'ADDED' AND u.gave_up_at ${sql.raw(givenUp)})`
}

/** Selects the ids of a platform's events that the cursor of its `webhookEndpoint` has not passed. */
export function selectBeyondCursor(platformId: string) {
  return sql`(SELECT b.id FROM webhook_endpoints w JOIN events b ON b.platform_id = w.platform_id
      AND (b.committed_in, b.position) > (w.committed_in, w.position)
    WHERE w.platform_id = ${platformId} AND w.role = 'CONFIGURED' AND w.deleted_at IS NULL)`
}
