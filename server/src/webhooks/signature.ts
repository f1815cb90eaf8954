import { createHmac } from 'node:crypto'
import type { Op } from '../app.ts'
import type { WebhookSecretRow } from '../db/schema/tables.ts'
import { toJson } from '../json.ts'
import { secretBytes } from './secrets.ts'

/**
 * The headers that a delivery is signed with: by the server's key over the body, and by each secret of the platform as
 * Standard Webhooks 1.0 says. Receivers hold `webhook-timestamp` against their own clock, so it is in real time,
 * whatever the clock of the platform shows.
 */
export function signedHeaders(
  op: Op,
  eventId: string,
  body: Uint8Array,
  secrets: readonly WebhookSecretRow[],
): Record<string, string> {
  const realMs = op.now.getTime() - Number(op.platform.clock_offset_ms)
  const timestamp = String(Math.floor(realMs / 1000))
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', secretBytes(op, secret)).update(`${eventId}.${timestamp}.`).update(body)
    return `v1,${hmac.digest('base64')}`
  })
  const signature = Buffer.from(op.enclave.signWebhook(body)).toString('base64')
  return {
    'X-Svc-Signature': toJson({ v: '1', s: signature }),
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
