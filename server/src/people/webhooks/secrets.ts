import type { Op } from '../../kernel/operation/app.ts'
import type { WebhookSecretRow } from '../../storage/rows/tables.ts'
import { selectValidSecrets } from './store.ts'

/** The values that a secret derives from. */
export type SigningSecret = Pick<WebhookSecretRow, 'id' | 'key_generation'>

/** A new secret for an endpoint; null: for the configuration's `webhookEndpoint`. */
export function newSecret(op: Op, endpointId: string | null): WebhookSecretRow {
  return {
    id: op.newId('WebhookSecret'),
    platform_id: op.platform.id,
    endpoint_id: endpointId,
    created_at: op.now,
    expires_at: null,
    key_generation: op.enclave.keyGeneration,
  }
}

/**
 * The secrets that sign deliveries to an endpoint now, the current one first; a second if a replaced one is still valid. Null: to
 * the `webhookEndpoint` of the configuration.
 */
export async function findSecrets(
  op: Op,
  endpointId: string | null = null,
): Promise<[WebhookSecretRow, ...WebhookSecretRow[]]> {
  const [present, replaced] = await selectValidSecrets(op, endpointId)
  if (!present) throw new Error('The platform has no webhook secret')
  return replaced ? [present, replaced] : [present]
}

/** The 32 bytes of a secret. They derive from the enclave's data key of that time and are not stored. */
export function secretBytes(op: Op, { id, key_generation }: SigningSecret): Uint8Array {
  return op.enclave.mac('webhook', id, key_generation)
}

/** A secret as Standard Webhooks writes it. */
export function secretText(op: Op, secret: WebhookSecretRow): string {
  return `whsec_${Buffer.from(secretBytes(op, secret)).toString('base64')}`
}
