import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { WebhookEndpointRow } from '../../storage/rows/webhook-endpoint.ts'
import { selectEndpoint } from './store.ts'

/** Throws 404 `WEBHOOK_ENDPOINT_NOT_FOUND`. */
export async function findEndpoint(op: Op, id: string): Promise<WebhookEndpointRow> {
  const endpointRow = await selectEndpoint(op, id)
  if (!endpointRow)
    throw new ApiError('WEBHOOK_ENDPOINT_NOT_FOUND', { details: { field: 'webhookEndpointId' } })
  return endpointRow
}
