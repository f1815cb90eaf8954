import { present } from '@countersign/contract/core/objects'
import type {
  WebhookEndpoint,
  WebhookEndpointFailure,
  WebhookEndpointHealth,
} from '@countersign/contract/events/webhook-endpoints'
import type { Static } from 'typebox'
import type { UndeliveredEventRow, WebhookEndpointRow } from '../../storage/rows/webhook-endpoint.ts'
import type { UndeliveredCounts } from './store.ts'

type Health = Static<typeof WebhookEndpointHealth>

export function toHealthView(
  { failing_since, last_delivered_at, last_failure }: WebhookEndpointRow,
  { retrying, failed, oldest }: UndeliveredCounts,
): Health {
  return present({
    oldestUndeliveredAt: oldest?.toISOString(),
    retrying,
    failed,
    failingSince: failing_since?.toISOString(),
    lastDeliveredAt: last_delivered_at?.toISOString(),
    lastFailure: last_failure ?? undefined,
  })
}

export function toEndpointView(row: WebhookEndpointRow, health: Health): Static<typeof WebhookEndpoint> {
  return present({
    id: row.id,
    url: row.url,
    description: row.description ?? undefined,
    eventTypes: row.event_types === null ? undefined : [...row.event_types],
    payload: row.payload,
    latestBalanceOnly: row.latest_balance_only,
    status: row.state,
    disabledReason: row.disabled_reason ?? undefined,
    health,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  })
}

export function toFailureView(row: UndeliveredEventRow): Static<typeof WebhookEndpointFailure> {
  return present({
    eventId: row.id,
    objectId: row.object_id,
    status: getStatus(row),
    attempts: row.attempts,
    lastFailure: row.last_failure ?? undefined,
    nextAttemptAt: row.due_at?.toISOString(),
  })
}

function getStatus({
  due_at,
  gave_up_at,
}: UndeliveredEventRow): Static<typeof WebhookEndpointFailure>['status'] {
  if (gave_up_at) return 'FAILED'
  return due_at ? 'RETRYING' : 'WAITING'
}
