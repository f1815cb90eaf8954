import { WEBHOOK_ENDPOINT_TRANSITIONS } from '@countersign/contract/states/delivery-states'
import type { App, Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { event } from '../../kernel/outbox/events.ts'
import { changeEndpoint } from '../../kernel/outbox/own-endpoint.ts'
import type { WebhookEndpointRow } from '../../storage/rows/webhook-endpoint.ts'
import { consolePage, notifyMembers } from '../members/notices.ts'
import type { Notice } from '../messages/message-content.ts'
import { viewEndpoint } from './shown.ts'
import { selectReceiver } from './store.ts'

/**
 * Disables an endpoint, and reports this to the other endpoints and to the members who may enable it. Skips
 * an endpoint that was changed in the meantime. Deletes a replay instead.
 */
export async function disableEndpoint(
  app: Pick<App, 'commit'>,
  op: Op,
  id: string,
  reason: NonNullable<WebhookEndpointRow['disabled_reason']>,
): Promise<void> {
  const found = await selectReceiver(op, id)
  if (found?.state !== 'ENABLED') return
  if (found.role === 'REPLAY') {
    await app.commit(op, [changeEndpoint(op, found, { deleted_at: op.now }).write])
    return
  }
  const { row, write } = transition(op, 'webhook_endpoints', WEBHOOK_ENDPOINT_TRANSITIONS, found, 'disable', {
    disabled_reason: reason,
  })
  const view = await viewEndpoint(op, row)
  const notices = await notifyMembers(op, 'MANAGE', disableNotice(op, row, reason))
  await app.commit(op, [write, event(op, 'WEBHOOK_ENDPOINT.DISABLED', id, view), ...notices])
  op.log.warn({ endpoint: id, reason }, 'a webhook endpoint was disabled')
}

function disableNotice(
  op: Op,
  { id, url, last_failure }: WebhookEndpointRow,
  reason: NonNullable<WebhookEndpointRow['disabled_reason']>,
): Notice {
  const { host } = new URL(url)
  return {
    subject: `A webhook endpoint was disabled: ${host}`,
    paragraphs: [
      REASONS[reason],
      // The path of the URL may contain a secret.
      `Endpoint: ${id} at ${host}. Last failure: ${last_failure ?? 'none'}.`,
      `Repair the receiver, then enable the endpoint: it continues where it stopped. ${consolePage(op, 'settings')}`,
    ],
  }
}

const REASONS: Readonly<Record<NonNullable<WebhookEndpointRow['disabled_reason']>, string>> = {
  GONE: 'The receiver responded with status 410, which means that it wants no more webhooks. It gets none now.',
  UNREACHABLE: 'The receiver has accepted no webhook for seven days. It gets none now.',
}
