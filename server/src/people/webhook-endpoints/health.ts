import type { Op } from '../../kernel/operation/app.ts'
import type { WebhookEndpointRow } from '../../storage/rows/webhook-endpoint.ts'
import { selectUndelivered } from './store.ts'
import { healthView } from './views.ts'

/** Finds the events that an endpoint has not received, and its last failure. */
export async function findHealth(op: Op, row: WebhookEndpointRow) {
  return healthView(row, await selectUndelivered(op, row.id))
}
