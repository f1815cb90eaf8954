import type { WebhookEndpoint } from '@countersign/contract/events/webhook-endpoints'
import type { Static } from 'typebox'
import type { Op } from '../../kernel/operation/app.ts'
import type { WebhookEndpointRow } from '../../storage/rows/webhook-endpoint.ts'
import { selectUndelivered, type UndeliveredCounts } from './store.ts'
import { toEndpointView, toHealthView } from './views.ts'

type View = Static<typeof WebhookEndpoint>

const NOTHING_UNDELIVERED: UndeliveredCounts = { retrying: 0, failed: 0, oldest: null }

/** Builds the views of endpoints, whose health one statement reads. */
export async function readEndpointViews(op: Op, rows: readonly WebhookEndpointRow[]): Promise<View[]> {
  const undelivered = await selectUndelivered(
    op,
    rows.map(({ id }) => id),
  )
  return rows.map((row) =>
    toEndpointView(row, toHealthView(row, undelivered.get(row.id) ?? NOTHING_UNDELIVERED)),
  )
}

export async function readEndpointView(op: Op, row: WebhookEndpointRow): Promise<View> {
  const [view = toNewEndpointView(row)] = await readEndpointViews(op, [row])
  return view
}

/** Builds the view of an endpoint that has no events yet. */
export function toNewEndpointView(row: WebhookEndpointRow): View {
  return toEndpointView(row, toHealthView(row, NOTHING_UNDELIVERED))
}
