import type { EventType } from '@countersign/contract/events/events'
import type { DISABLED_REASONS, WEBHOOK_PAYLOADS } from '@countersign/contract/events/webhook-endpoints'
import type { WebhookEndpointState } from '@countersign/contract/states/delivery-states'
import type { Stamped } from './stamped.ts'

/** An event receiver that a platform added to the `webhookEndpoint` of its configuration. */
export interface WebhookEndpointRow extends Stamped {
  id: string
  platform_id: string
  url: string
  description: string | null
  /** Null for all types. */
  event_types: readonly EventType[] | null
  payload: (typeof WEBHOOK_PAYLOADS)[number]
  latest_balance_only: boolean
  state: WebhookEndpointState
  disabled_reason: (typeof DISABLED_REASONS)[number] | null
  /** The cursor: the last event that was delivered or recorded as a failure. */
  committed_in: string
  position: bigint
  claimed_by: string | null
  claimed_until: Date | null
  /** Consecutive failed attempts. */
  failures: number
  failing_since: Date | null
  /** The endpoint gets nothing before this time, after many failures in a row. */
  retry_at: Date | null
  last_delivered_at: Date | null
  last_failure: string | null
  deleted_at: Date | null
}

/** An event that was not delivered to an endpoint. */
export interface WebhookFailureRow {
  endpoint_id: string
  event_id: string
  platform_id: string
  object_id: string
  type: EventType
  committed_in: string
  position: bigint
  attempts: number
  last_failure: string | null
  /** Null if it waits for an earlier event of its object, or was given up. */
  due_at: Date | null
  gave_up_at: Date | null
  created_at: Date
}
