import { WEBHOOK_ENDPOINTS_MAX, type webhookEndpoints } from '@countersign/contract/events/webhook-endpoints'
import { WEBHOOK_ENDPOINT_TRANSITIONS } from '@countersign/contract/states/delivery-states'
import { ApiError, type Handlers } from '../../kernel/operation/operation.ts'
import { listPage, type Order } from '../../kernel/operation/paging.ts'
import { transition } from '../../kernel/operation/transition.ts'
import {
  changeEndpoint,
  NO_FAILURE,
  newEndpoint,
  RELEASED,
  selectEndOfFeed,
  selectPositionBefore,
} from '../../kernel/outbox/own-endpoint.ts'
import { insert } from '../../storage/commit/writes.ts'
import type { UndeliveredEventRow, WebhookEndpointRow } from '../../storage/rows/webhook-endpoint.ts'
import { findPlatform, markPlatformChanged } from '../platforms/platforms.ts'
import { formatSecret, newSecret } from '../webhooks/secrets.ts'
import { findEndpoint } from './find-endpoint.ts'
import { readEndpointView, readEndpointViews, toNewEndpointView } from './shown.ts'
import { selectEndpoints, selectFailures } from './store.ts'
import { toFailureView } from './views.ts'

export const webhookEndpointHandlers: Handlers<typeof webhookEndpoints> = {
  webhook_endpoint_create: async (op, { body }) => {
    const platform = await findPlatform(op)
    if ((await selectEndpoints(op)).length >= WEBHOOK_ENDPOINTS_MAX)
      throw new ApiError('WEBHOOK_ENDPOINT_LIMIT_REACHED')
    const row = newEndpoint(op, {
      role: 'ADDED',
      url: body.url,
      description: body.description ?? null,
      event_types: body.eventTypes ?? null,
      payload: body.payload ?? 'FULL',
      latest_balance_only: body.latestBalanceOnly ?? false,
      begins_in: await selectEndOfFeed(op),
    })
    const secret = newSecret(op, row.id)
    return {
      status: 201,
      body: {
        ...toNewEndpointView(row),
        secret: formatSecret(op, secret),
      },
      // Guards the limit against concurrent calls.
      writes: [
        markPlatformChanged(op, platform),
        insert('webhook_endpoints', row),
        insert('webhook_secrets', secret),
      ],
    }
  },

  webhook_endpoint_list: async (op) => {
    const rows = await selectEndpoints(op)
    return { status: 200, body: { data: await readEndpointViews(op, rows) } }
  },

  webhook_endpoint_get: async (op, { params }) => ({
    status: 200,
    body: await readEndpointView(op, await findEndpoint(op, params.webhookEndpointId)),
  }),

  webhook_endpoint_update: async (op, { params, body }) => {
    const endpointRow = await findEndpoint(op, params.webhookEndpointId)
    const change: Partial<WebhookEndpointRow> = {
      ...(body.url === undefined ? {} : { url: body.url }),
      ...(body.description === undefined ? {} : { description: body.description }),
      ...(body.eventTypes === undefined ? {} : { event_types: body.eventTypes }),
      ...(body.payload === undefined ? {} : { payload: body.payload }),
      ...(body.latestBalanceOnly === undefined ? {} : { latest_balance_only: body.latestBalanceOnly }),
      // A changed endpoint is tried immediately.
      ...NO_FAILURE,
      ...(body.status === undefined ? {} : { disabled_reason: null }),
    }
    const { row, write } =
      body.status === undefined
        ? changeEndpoint(op, endpointRow, change)
        : transition(
            op,
            'webhook_endpoints',
            WEBHOOK_ENDPOINT_TRANSITIONS,
            endpointRow,
            body.status === 'ENABLED' ? 'enable' : 'pause',
            { ...change, ...RELEASED },
            { deleted_at: null },
          )
    return { status: 200, body: await readEndpointView(op, row), writes: [write] }
  },

  webhook_endpoint_delete: async (op, { params }) => {
    const endpointRow = await findEndpoint(op, params.webhookEndpointId)
    const { write } = changeEndpoint(op, endpointRow, { ...RELEASED, deleted_at: op.now })
    return { status: 204, body: undefined, writes: [write] }
  },

  webhook_endpoint_replay: async (op, { params, body }) => {
    const endpointRow = await findEndpoint(op, params.webhookEndpointId)
    const first = await selectPositionBefore(op, new Date(body.startDate))
    const committed_in = first?.committed_in ?? (await selectEndOfFeed(op))
    const { row, write } = changeEndpoint(op, endpointRow, { ...RELEASED, committed_in, position: 0n })
    return { status: 200, body: await readEndpointView(op, row), writes: [write] }
  },

  webhook_endpoint_failure_list: async (op, { params, query }) => {
    const { id } = await findEndpoint(op, params.webhookEndpointId)
    const body = await listPage(op, query, {
      rows: selectFailures(op, id),
      table: 'undelivered_events',
      by: BY_FEED,
      order: 'asc',
      view: (rows) => rows.map(toFailureView),
    })
    return { status: 200, body }
  },
}

/** The order of the feed: by transaction, then by position. */
const BY_FEED: Order<UndeliveredEventRow> = {
  columns: ['committed_in', 'position'],
  getPosition: (row) => [row.committed_in, String(row.position)],
  read: (transaction, position) => [transaction, position],
}
