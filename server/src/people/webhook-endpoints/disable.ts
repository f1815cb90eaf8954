import { WEBHOOK_ENDPOINT_TRANSITIONS } from '@countersign/contract/states/delivery-states'
import type { App, Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { event } from '../../kernel/outbox/events.ts'
import type { WebhookEndpointRow } from '../../storage/rows/webhook-endpoint.ts'
import { shownEndpoint } from './shown.ts'
import { selectEndpoint } from './store.ts'

/** Disables an endpoint and reports it to the others. One that was changed meanwhile stays as it is. */
export async function disableEndpoint(
  app: Pick<App, 'commit'>,
  op: Op,
  id: string,
  reason: NonNullable<WebhookEndpointRow['disabled_reason']>,
): Promise<void> {
  const found = await selectEndpoint(op, id)
  if (found?.state !== 'ENABLED') return
  const { row, write } = transition(op, 'webhook_endpoints', WEBHOOK_ENDPOINT_TRANSITIONS, found, 'disable', {
    disabled_reason: reason,
  })
  const view = await shownEndpoint(op, row)
  await app.commit(op, [write, event(op, 'WEBHOOK_ENDPOINT.DISABLED', id, view)])
  op.log.warn({ endpoint: id, reason }, 'a webhook endpoint was disabled')
}
