import type { EventType } from '@countersign/contract/events/events'
import type { WEBHOOK_PAYLOADS } from '@countersign/contract/events/webhook-endpoints'
import type { WebhookFault } from '@countersign/contract/sandbox/faults'
import type { DISABLED_REASONS, WebhookEndpointState } from '@countersign/contract/states/delivery-states'
import type { Stamped } from './stamped.ts'

/**
 * A receiver of events. `CONFIGURED`: the configured `webhookEndpoint`. `REPLAY`: the same receiver, getting
 * the events of a past period again.
 */
export interface WebhookEndpointRow extends Stamped {
  id: string
  platform_id: string
  role: 'CONFIGURED' | 'ADDED' | 'REPLAY'
  url: string
  description: string | null
  /** Null for all event types. */
  event_types: readonly EventType[] | null
  payload: (typeof WEBHOOK_PAYLOADS)[number]
  latest_balance_only: boolean
  state: WebhookEndpointState
  disabled_reason: (typeof DISABLED_REASONS)[number] | null
  /** The cursor: the last event received or recorded as undelivered. */
  committed_in: string
  position: bigint
  /**
   * The part of the feed that it receives, from the first transaction up to but not including the second.
   * Null means no end.
   */
  begins_in: string
  ends_in: string | null
  /** The time range of the events that a replay sends. */
  events_from: Date | null
  events_until: Date | null
  claimed_by: string | null
  claimed_until: Date | null
  /** The number of failed attempts in a row. */
  failures: number
  failing_since: Date | null
  /** Nothing is sent before this time, after many failures in a row. */
  retry_at: Date | null
  last_delivered_at: Date | null
  last_failure: string | null
  deleted_at: Date | null
}

/** An event that an endpoint has not received, although the cursor has passed it. Its id is the event's. */
export interface UndeliveredEventRow {
  id: string
  endpoint_id: string
  platform_id: string
  object_id: string
  type: EventType
  /**
   * True if it is sent independently of the cursor, as a question, test or redelivery. Its position in the
   * feed is then 0.
   */
  is_apart: boolean
  /** True if it was received before, so it is never given up as failed. */
  was_received: boolean
  committed_in: string
  position: bigint
  attempts: number
  last_failure: string | null
  /** Null if it waits for an earlier event of the same object, or was given up. */
  due_at: Date | null
  gave_up_at: Date | null
  created_at: Date
}

/**
 * Events that an endpoint received on the first attempt, recorded together. Each array has one element per
 * event.
 */
export interface WebhookReceiptRow {
  id: string
  platform_id: string
  url: string
  first_committed_in: string
  first_position: bigint
  last_committed_in: string
  last_position: bigint
  event_ids: readonly string[]
  statuses: readonly number[]
  durations_ms: readonly number[]
  started_at: readonly Date[]
}

/** A sandbox fault in the delivery of an event, kept until it has occurred. Its id is the event's. */
export interface WebhookFaultRow {
  id: string
  platform_id: string
  fault: WebhookFault
}
