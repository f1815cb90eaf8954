import { buildStandardHeaders } from '../../base/crypto/standard-webhooks.ts'
import { toJson } from '../../base/json/json.ts'
import type { Op } from '../../kernel/operation/app.ts'

/**
 * Builds the signature headers of a delivery: one signature over the body by the server's key, and one by
 * each secret of the platform according to Standard Webhooks 1.0. `webhook-timestamp` is in real time even if
 * the platform's clock differs, because receivers compare it with their own clock.
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
    ...buildStandardHeaders(secrets, eventId, body, new Date(realMs)),
  }
}
