import type { Op } from '../../kernel/operation/app.ts'
import type { WebhookSecretRow } from '../../storage/rows/tables.ts'
import { selectValidSecrets } from './store.ts'

/** The values from which a secret is derived. */
export type SigningSecret = Pick<WebhookSecretRow, 'id' | 'key_generation'>

/** Creates a secret for an endpoint. Null is the `webhookEndpoint` of the configuration. */
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
 * Reads the secrets that currently sign deliveries to an endpoint, the current one first. There is a second
 * one while a replaced secret is valid. Null is the `webhookEndpoint` of the configuration.
 */
export async function findSecrets(
  op: Op,
  endpointId: string | null = null,
): Promise<[WebhookSecretRow, ...WebhookSecretRow[]]> {
  const [current, replaced] = await selectValidSecrets(op, endpointId)
  if (!current) throw new Error('The platform has no webhook secret')
  return replaced ? [current, replaced] : [current]
}

/**
 * Derives the 32 bytes of a secret from the enclave's data key of its generation. They are not stored.
 */
export function deriveSecretBytes(op: Op, { id, key_generation }: SigningSecret): Uint8Array {
  return op.enclave.mac('webhook', id, key_generation)
}

/** Formats a secret in the notation of Standard Webhooks. */
export function formatSecret(op: Op, secret: WebhookSecretRow): string {
  return `whsec_${Buffer.from(deriveSecretBytes(op, secret)).toString('base64')}`
}
