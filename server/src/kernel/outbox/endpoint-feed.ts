import type { EventType } from '@countersign/contract/events/events'
import type { WebhookEndpointRow } from '../../storage/rows/webhook-endpoint.ts'

type Role = WebhookEndpointRow['role']

/**
 * Events that an endpoint does not get in feed order. Tests of the configured one, and its questions, have
 * rows instead.
 */
export const NOT_OF_FEED: Readonly<Record<Role, readonly EventType[]>> = {
  CONFIGURED: ['TEST', 'INCOMING_PAYMENT.PENDING'],
  ADDED: ['TEST'],
  REPLAY: [],
}

const typesOf = (role: Role) => `ARRAY[${NOT_OF_FEED[role].map((type) => `'${type}'`).join(', ')}]::text[]`

/** SQL: the events `v` beyond the cursor of the endpoint `e`, in its part of the feed. */
export const BEYOND_CURSOR = `events v WHERE v.platform_id = e.platform_id
  AND (v.committed_in, v.position) > (e.committed_in, e.position) AND (e.ends_in IS NULL OR v.committed_in < e.ends_in)`

/** SQL: true if the endpoint `e` gets the event `v` in feed order. */
export const IS_SENT = `v.type <> ALL (CASE e.role WHEN 'CONFIGURED' THEN ${typesOf('CONFIGURED')}
    WHEN 'ADDED' THEN ${typesOf('ADDED')} ELSE ${typesOf('REPLAY')} END)
  AND (e.event_types IS NULL OR v.type = ANY (e.event_types))
  AND (e.events_from IS NULL OR v.created_at BETWEEN e.events_from AND e.events_until)`

/** SQL: the first events `v` beyond the cursor of the endpoint `e`, at most `max`. Not all of them are sent. */
export function nextBeyondCursor(max: number): string {
  return `(SELECT v.id, v.type, v.created_at FROM ${BEYOND_CURSOR} ORDER BY v.committed_in, v.position LIMIT ${max}) AS v`
}
