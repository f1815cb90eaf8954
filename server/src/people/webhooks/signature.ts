import { standardHeaders } from '../../base/crypto/standard-webhooks.ts'
import { toJson } from '../../base/json/json.ts'
import type { Op } from '../../kernel/operation/app.ts'

/**
 * The signature headers of a delivery: by the server's key over the body, and by each secret of the platform as Standard
 * Webhooks 1.0 specifies. Receivers compare `webhook-timestamp` with their own clock, so it is in real time, whatever the
 * platform's clock shows.
 */
export async function buildSignatureHeaders(
  op: Op,
  eventId: string,
  body: Uint8Array,
  secrets: readonly Uint8Array[],
): Promise<Record<string, string>> {
  const realMs = op.now.getTime() - Number(op.platform.clock_offset_ms)
  const signature = Buffer.from(await op.enclave.signWebhook(body)).toString('base64')
  return {
    [op.wire.webhookSignatureHeader]: toJson({ v: '1', s: signature }),
    ...standardHeaders(secrets, eventId, body, new Date(realMs)),
  }
}
