import type { Op } from '../../kernel/operation/app.ts'
import { IS_SENT, nextBeyondCursor } from '../../kernel/outbox/endpoint-feed.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import type { WebhookEndpointRow } from '../../storage/rows/webhook-endpoint.ts'

/** Selects the platform's endpoints, oldest first. */
export async function selectEndpoints(op: Op): Promise<WebhookEndpointRow[]> {
  return selectAddedEndpoints(op).orderBy('created_at').orderBy('id').execute()
}

export async function selectEndpoint(op: Op, id: string): Promise<WebhookEndpointRow | undefined> {
  return selectAddedEndpoints(op).where('id', '=', id).executeTakeFirst()
}

function selectAddedEndpoints(op: Op) {
  return selectEndpointsOfAnyRole(op).where('role', '=', 'ADDED')
}

/** Selects an endpoint of any role. */
export async function selectReceiver(op: Op, id: string): Promise<WebhookEndpointRow | undefined> {
  return selectEndpointsOfAnyRole(op).where('id', '=', id).executeTakeFirst()
}

function selectEndpointsOfAnyRole(op: Op) {
  return op.read
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('deleted_at', 'is', null)
}

/** Counts of the events that an endpoint has not received. */
export interface UndeliveredCounts {
  readonly retrying: number
  readonly failed: number
  /** The time of the oldest unreceived event; null if all were received. */
  readonly oldest: Date | null
}

/** The maximum number of events after the cursor to search for an unreceived one. */
const BEHIND_CURSOR_MAX = 1_000

const UNDELIVERED_SQL = `
SELECT e.id, f.retrying, f.failed, least(f.oldest, n.oldest) AS oldest
FROM webhook_endpoints e
CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE f.gave_up_at IS NULL)::int AS retrying,
    count(*) FILTER (WHERE f.gave_up_at IS NOT NULL)::int AS failed,
    min(v.created_at) FILTER (WHERE f.gave_up_at IS NULL) AS oldest
  FROM undelivered_events f LEFT JOIN events v ON v.id = f.id WHERE f.endpoint_id = e.id) AS f
CROSS JOIN LATERAL (
  SELECT min(v.created_at) AS oldest FROM ${nextBeyondCursor(BEHIND_CURSOR_MAX)} WHERE ${IS_SENT}) AS n
WHERE e.platform_id = $1 AND e.id = ANY ($2::uuid[])`

/** Counts the events that endpoints have not received, by endpoint id. */
export async function selectUndelivered(
  op: Op,
  ids: readonly string[],
): Promise<ReadonlyMap<string, UndeliveredCounts>> {
  const parameters = [extractUuid(op.platform.id), ids.map(extractUuid)]
  const { rows } = await op.db.query<UndeliveredCounts & { readonly id: string }>(UNDELIVERED_SQL, parameters)
  return new Map(rows.map(({ id, ...undelivered }) => [id, undelivered]))
}

/** Selects an endpoint's failures, in no particular order. */
export function selectFailures(op: Op, endpointId: string) {
  return op.read
    .selectFrom('undelivered_events')
    .selectAll()
    .where('endpoint_id', '=', endpointId)
    .where('platform_id', '=', op.platform.id)
}
