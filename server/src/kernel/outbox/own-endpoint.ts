import {
  WEBHOOK_ENDPOINT_INITIAL,
  WEBHOOK_ENDPOINT_TRANSITIONS,
} from '@countersign/contract/states/delivery-states'
import { type EventWrite, insert, update, type Write } from '../../storage/commit/writes.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import { getOnlyRow } from '../../storage/engine/port.ts'
import type { UndeliveredEventRow, WebhookEndpointRow } from '../../storage/rows/webhook-endpoint.ts'
import type { Op } from '../operation/app.ts'
import { testEvent } from './events.ts'

/** The platform's configured `webhookEndpoint` as a row, if it has one. */
export async function selectOwnEndpoint(op: Op): Promise<WebhookEndpointRow | undefined> {
  return selectByRole(op, 'CONFIGURED')
}

/** The replay in progress, if any. */
export async function selectReplay(op: Op): Promise<WebhookEndpointRow | undefined> {
  return selectByRole(op, 'REPLAY')
}

async function selectByRole(
  op: Op,
  role: WebhookEndpointRow['role'],
): Promise<WebhookEndpointRow | undefined> {
  return op.read
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('role', '=', role)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/**
 * The position in the feed after all events so far and before the events of any transaction that begins
 * later. Right after a database was moved to another cluster, transaction numbers may be lower than the
 * numbers of the existing events.
 */
export async function selectEndOfFeed(op: Op): Promise<string> {
  const { rows } = await op.db.query<{ at: string }>(
    `SELECT greatest(pg_snapshot_xmax(pg_current_snapshot())::text::bigint + feed_base(),
       (SELECT committed_in::text::bigint + 1 FROM events WHERE platform_id = $1
        ORDER BY committed_in DESC, position DESC LIMIT 1))::text AS at`,
    [extractUuid(op.platform.id)],
  )
  return getOnlyRow(rows).at
}

/**
 * The position in the feed just before the first event at or after `time`. Undefined if all events are older.
 */
export async function selectPositionBefore(
  op: Op,
  time: Date,
): Promise<{ committed_in: string } | undefined> {
  return op.read
    .selectFrom('events')
    .select('committed_in')
    .where('platform_id', '=', op.platform.id)
    .where('created_at', '>=', time)
    .orderBy('committed_in')
    .limit(1)
    .executeTakeFirst()
}

/** Creates an endpoint that receives events from a position in the feed. */
export function newEndpoint(
  op: Op,
  settings: Pick<WebhookEndpointRow, 'role' | 'url' | 'begins_in'> & Partial<WebhookEndpointRow>,
): WebhookEndpointRow {
  return {
    id: op.newId('WebhookEndpoint'),
    platform_id: op.platform.id,
    description: null,
    event_types: null,
    payload: 'FULL',
    latest_balance_only: false,
    state: WEBHOOK_ENDPOINT_INITIAL,
    disabled_reason: null,
    committed_in: settings.begins_in,
    position: 0n,
    ends_in: null,
    events_from: null,
    events_until: null,
    ...RELEASED,
    ...NO_FAILURE,
    last_delivered_at: null,
    last_failure: null,
    created_at: op.now,
    updated_at: op.now,
    deleted_at: null,
    ...settings,
  }
}

/** Releases the endpoint, so that the process sending to it stops and the next one reads its row again. */
export const RELEASED = { claimed_by: null, claimed_until: null } as const

export const NO_FAILURE = { failures: 0, failing_since: null, retry_at: null } as const

/** Guard: the endpoint is unchanged. */
export function changeEndpoint(op: Op, endpoint: WebhookEndpointRow, change: Partial<WebhookEndpointRow>) {
  const set = { ...change, updated_at: op.now }
  const { updated_at, state } = endpoint
  return {
    row: { ...endpoint, ...set },
    write: update('webhook_endpoints', endpoint.id, { updated_at, state, deleted_at: null }, set),
  }
}

/**
 * Sets the `webhookEndpoint` that receives events from now on, or removes it if undefined. A new URL gets a
 * TEST event. Setting the URL, even to the same value, re-enables a disabled endpoint.
 */
export async function setOwnEndpoint(op: Op, url: string | undefined): Promise<Write[]> {
  const [endpoint, replay] = await Promise.all([selectOwnEndpoint(op), selectReplay(op)])
  if (url === undefined) {
    if (!endpoint) return []
    const end = { ...RELEASED, deleted_at: op.now, ends_in: await selectEndOfFeed(op) }
    return [
      changeEndpoint(op, endpoint, end).write,
      ...(replay ? [changeEndpoint(op, replay, { ...RELEASED, deleted_at: op.now }).write] : []),
    ]
  }
  if (!endpoint) {
    const row = newEndpoint(op, { role: 'CONFIGURED', url, begins_in: await selectEndOfFeed(op) })
    return [insert('webhook_endpoints', row), ...testEndpoint(op, row)]
  }
  const state = WEBHOOK_ENDPOINT_TRANSITIONS[endpoint.state].enable
  if (endpoint.url === url && endpoint.state === state) return []
  const change = { url, state, disabled_reason: null, ...RELEASED, ...NO_FAILURE }
  const { row, write } = changeEndpoint(op, endpoint, change)
  return [
    write,
    ...(replay ? [changeEndpoint(op, replay, change).write] : []),
    ...(endpoint.url === url ? [] : testEndpoint(op, row)),
  ]
}

function testEndpoint(op: Op, endpoint: WebhookEndpointRow): Write[] {
  const test = testEvent(op)
  return [test, sendOutsideFeed(op, endpoint, test)]
}

/** Sends an event to an endpoint separately from the feed, regardless of its cursor. */
export function sendOutsideFeed(
  op: Op,
  endpoint: Pick<WebhookEndpointRow, 'id'>,
  { id, type, objectId }: Pick<EventWrite, 'id' | 'type' | 'objectId'>,
  of: Partial<UndeliveredEventRow> = {},
): Write {
  const row: UndeliveredEventRow = {
    id,
    endpoint_id: endpoint.id,
    platform_id: op.platform.id,
    object_id: objectId,
    type,
    is_apart: true,
    was_received: false,
    committed_in: '0',
    position: 0n,
    attempts: 0,
    last_failure: null,
    due_at: op.now,
    gave_up_at: null,
    created_at: op.now,
    ...of,
  }
  return insert('undelivered_events', row)
}

/**
 * Sends a question to the platform, whose webhook response decides. Does nothing if the platform has no
 * endpoint.
 */
export async function ask(op: Op, question: EventWrite): Promise<Write[]> {
  const endpoint = await selectOwnEndpoint(op)
  return [question, ...(endpoint ? [sendOutsideFeed(op, endpoint, question)] : [])]
}
