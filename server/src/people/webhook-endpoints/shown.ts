import type { WebhookEndpoint } from '@countersign/contract/events/webhook-endpoints'
import type { Static } from 'typebox'
import type { Op } from '../../kernel/operation/app.ts'
import type { WebhookEndpointRow } from '../../storage/rows/webhook-endpoint.ts'
import { selectUndelivered, type Undelivered } from './store.ts'
import { endpointView, healthView } from './views.ts'

type View = Static<typeof WebhookEndpoint>

const NOTHING_UNDELIVERED: Undelivered = { retrying: 0, failed: 0, oldest: null }

/** Returns endpoints with their health, which one statement reads. */
export async function endpointViews(op: Op, rows: readonly WebhookEndpointRow[]): Promise<View[]> {
  const undelivered = await selectUndelivered(
    op,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => endpointView(row, healthView(row, undelivered.get(row.id) ?? NOTHING_UNDELIVERED)))
}

export async function viewEndpoint(op: Op, row: WebhookEndpointRow): Promise<View> {
  const [view = newEndpointView(row)] = await endpointViews(op, [row])
  return view
}

/** Returns an endpoint for which there are no events yet. */
export function newEndpointView(row: WebhookEndpointRow): View {
  return endpointView(row, healthView(row, NOTHING_UNDELIVERED))
}
