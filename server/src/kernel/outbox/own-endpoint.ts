import {
  WEBHOOK_ENDPOINT_INITIAL,
  WEBHOOK_ENDPOINT_TRANSITIONS,
} from '@countersign/contract/states/delivery-states'
import { type EventWrite, insert, update, type Write } from '../../storage/commit/writes.ts'
import { uuidOf } from '../../storage/engine/ids.ts'
import { onlyRow } from '../../storage/engine/port.ts'
import type { UndeliveredEventRow, WebhookEndpointRow } from '../../storage/rows/webhook-endpoint.ts'
import type { Op } from '../operation/app.ts'
import { testEvent } from './events.ts'

/** The `webhookEndpoint` of the configuration as a row, if the platform has one. */
export async function selectOwnEndpoint(op: Op): Promise<WebhookEndpointRow | undefined> {
  return selectByRole(op, 'CONFIGURED')
}

/** The replay in progress. */
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
 * A place in the feed behind all events and before the events of every transaction that begins from now on. In a database that has just
 * moved to another cluster, the number of the next transaction may be lower than the numbers of the events.
 */
export async function selectEndOfFeed(op: Op): Promise<string> {
  const { rows } = await op.db.query<{ at: string }>(
    `SELECT greatest(pg_snapshot_xmax(pg_current_snapshot())::text::bigint + feed_base(),
       (SELECT committed_in::text::bigint + 1 FROM events WHERE platform_id = $1
        ORDER BY committed_in DESC, position DESC LIMIT 1))::text AS at`,
    [uuidOf(op.platform.id)],
  )
  return onlyRow(rows).at
}

/** The place in the feed before the first event at or after a time; undefined if all are before it. */
export async function selectPlaceBefore(op: Op, time: Date): Promise<{ committed_in: string } | undefined> {
  return op.read
    .selectFrom('events')
    .select('committed_in')
    .where('platform_id', '=', op.platform.id)
    .where('created_at', '>=', time)
    .orderBy('committed_in')
    .limit(1)
    .executeTakeFirst()
}

/** An endpoint that gets the events from a place in the feed on. */
export function newEndpoint(
  op: Op,
  own: Pick<WebhookEndpointRow, 'role' | 'url' | 'begins_in'> & Partial<WebhookEndpointRow>,
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
    committed_in: own.begins_in,
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
    ...own,
  }
}

/** The process that sends to the endpoint stops, and the next one reads the endpoint again. */
export const RELEASED = { claimed_by: null, claimed_until: null } as const

export const NO_FAILURE = { failures: 0, failing_since: null, retry_at: null } as const

/** Guard: the endpoint is unchanged. */
export function changeEndpoint(op: Op, found: WebhookEndpointRow, change: Partial<WebhookEndpointRow>) {
  const set = { ...change, updated_at: op.now }
  const { updated_at, state } = found
  return {
    row: { ...found, ...set },
    write: update('webhook_endpoints', found.id, { updated_at, state, deleted_at: null }, set),
  }
}

/**
 * Sends events from now on to the given `webhookEndpoint`; `undefined` ends that. A new URL gets a TEST
 * event. Setting the URL, even to the same value, enables a disabled endpoint.
 */
export async function setOwnEndpoint(op: Op, url: string | undefined): Promise<Write[]> {
  const [found, replay] = await Promise.all([selectOwnEndpoint(op), selectReplay(op)])
  if (url === undefined) {
    if (!found) return []
    const end = { ...RELEASED, deleted_at: op.now, ends_in: await selectEndOfFeed(op) }
    return [
      changeEndpoint(op, found, end).write,
      ...(replay ? [changeEndpoint(op, replay, { ...RELEASED, deleted_at: op.now }).write] : []),
    ]
  }
  if (!found) {
    const row = newEndpoint(op, { role: 'CONFIGURED', url, begins_in: await selectEndOfFeed(op) })
    return [insert('webhook_endpoints', row), ...testEndpoint(op, row)]
  }
  const state = WEBHOOK_ENDPOINT_TRANSITIONS[found.state].enable
  if (found.url === url && found.state === state) return []
  const change = { url, state, disabled_reason: null, ...RELEASED, ...NO_FAILURE }
  const { row, write } = changeEndpoint(op, found, change)
  return [
    write,
    ...(replay ? [changeEndpoint(op, replay, change).write] : []),
    ...(found.url === url ? [] : testEndpoint(op, row)),
  ]
}

function testEndpoint(op: Op, endpoint: WebhookEndpointRow): Write[] {
  const test = testEvent(op)
  return [test, sendApart(op, endpoint, test)]
}

/** Makes an event due at an endpoint whatever its cursor passes. */
export function sendApart(
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

/** Asks the platform: its response to the event decides something. Without an endpoint nobody is asked. */
export async function ask(op: Op, question: EventWrite): Promise<Write[]> {
  const endpoint = await selectOwnEndpoint(op)
  return [question, ...(endpoint ? [sendApart(op, endpoint, question)] : [])]
}
