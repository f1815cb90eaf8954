import type { EventType } from '@countersign/contract/events/events'
import type { WebhookEndpointRow } from '../../storage/rows/webhook-endpoint.ts'

type Role = WebhookEndpointRow['role']

/**
 * Events that an endpoint does not receive in feed order. For the configured endpoint, TEST events and
 * questions are sent from their own rows instead.
 */
export const EXCLUDED_FROM_FEED: Readonly<Record<Role, readonly EventType[]>> = {
  CONFIGURED: ['TEST', 'INCOMING_PAYMENT.PENDING'],
  ADDED: ['TEST'],
  REPLAY: [],
}

const excludedTypes = (role: Role) =>
  `ARRAY[${EXCLUDED_FROM_FEED[role].map((type) => `'${type}'`).join(', ')}]::text[]`

/** SQL: events `v` beyond the cursor of endpoint `e`, within its part of the feed. */
export const BEYOND_CURSOR = `events v WHERE v.platform_id = e.platform_id
  AND (v.committed_in, v.position) > (e.committed_in, e.position) AND (e.ends_in IS NULL OR v.committed_in < e.ends_in)`

/** SQL: true if endpoint `e` receives event `v` in feed order. */
export const IS_SENT = `v.type <> ALL (CASE e.role WHEN 'CONFIGURED' THEN ${excludedTypes('CONFIGURED')}
    WHEN 'ADDED' THEN ${excludedTypes('ADDED')} ELSE ${excludedTypes('REPLAY')} END)
  AND (e.event_types IS NULL OR v.type = ANY (e.event_types))
  AND (e.events_from IS NULL OR v.created_at BETWEEN e.events_from AND e.events_until)`

/**
 * SQL: the first events `v` beyond the cursor of endpoint `e`, at most `max`. Some of them may not be sent.
 */
export function nextBeyondCursor(max: number): string {
  return `(SELECT v.id, v.type, v.created_at FROM ${BEYOND_CURSOR} ORDER BY v.committed_in, v.position LIMIT ${max}) AS v`
}
