import { WEBHOOK_ENDPOINT_TRANSITIONS } from '@countersign/contract/states/delivery-states'
import type { App, Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { event } from '../../kernel/outbox/events.ts'
import { changeEndpoint } from '../../kernel/outbox/own-endpoint.ts'
import type { WebhookEndpointRow } from '../../storage/rows/webhook-endpoint.ts'
import { getConsolePageUrl, notifyMembers } from '../members/notices.ts'
import type { Notice } from '../messages/message-content.ts'
import { readEndpointView } from './shown.ts'
import { selectReceiver } from './store.ts'

/**
 * Disables an endpoint, and notifies the other endpoints and the members who may enable it. Skips an endpoint
 * that was changed in the meantime. Deletes a replay instead.
 */
export async function disableEndpoint(
  app: Pick<App, 'commit'>,
  op: Op,
  id: string,
  reason: NonNullable<WebhookEndpointRow['disabled_reason']>,
): Promise<void> {
  const endpointRow = await selectReceiver(op, id)
  if (endpointRow?.state !== 'ENABLED') return
  if (endpointRow.role === 'REPLAY') {
    await app.commit(op, [changeEndpoint(op, endpointRow, { deleted_at: op.now }).write])
    return
  }
  const { row, write } = transition(
    op,
    'webhook_endpoints',
    WEBHOOK_ENDPOINT_TRANSITIONS,
    endpointRow,
    'disable',
    {
      disabled_reason: reason,
    },
  )
  const view = await readEndpointView(op, row)
  const notices = await notifyMembers(op, 'MANAGE', buildDisableNotice(op, row, reason))
  await app.commit(op, [write, event(op, 'WEBHOOK_ENDPOINT.DISABLED', id, view), ...notices])
  op.log.warn({ endpoint: id, reason }, 'disabled webhook endpoint')
}

function buildDisableNotice(
  op: Op,
  { id, url, last_failure }: WebhookEndpointRow,
  reason: NonNullable<WebhookEndpointRow['disabled_reason']>,
): Notice {
  const { host } = new URL(url)
  return {
    subject: `Webhook endpoint disabled: ${host}`,
    paragraphs: [
      REASON_SENTENCES[reason],
      // The path of the URL may contain a secret.
      `Endpoint: ${id} at ${host}. Last failure: ${last_failure ?? 'none'}.`,
      `Fix the receiver, then enable the endpoint. Deliveries resume where they stopped. ${getConsolePageUrl(op, 'settings')}`,
    ],
  }
}

const REASON_SENTENCES: Readonly<Record<NonNullable<WebhookEndpointRow['disabled_reason']>, string>> = {
  GONE: 'The receiver responded with status 410 (Gone), which means that it no longer wants webhooks. Deliveries have stopped.',
  UNREACHABLE: 'The receiver has not accepted a webhook for seven days. Deliveries have stopped.',
}
