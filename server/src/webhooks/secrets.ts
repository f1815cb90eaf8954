import type { Op } from '../app.ts'
import type { PlatformRow, WebhookSecretRow } from '../db/schema/tables.ts'
import { selectValidSecrets } from './store.ts'

/** The secrets that deliveries are signed with now, the present one first; a second where a replaced one is valid. */
export async function findSecrets(op: Op): Promise<[WebhookSecretRow, ...WebhookSecretRow[]]> {
  const [present, replaced] = await selectValidSecrets(op)
  if (!present) throw new Error('The platform has no webhook secret')
  return replaced ? [present, replaced] : [present]
}

/** What a new platform begins with. */
export function firstSecret(
  { id, created_at }: Pick<PlatformRow, 'id' | 'created_at'>,
  keyGeneration: number,
): WebhookSecretRow {
  const secretId = id.replace(/^\w+/, 'WebhookSecret')
  return { id: secretId, platform_id: id, created_at, expires_at: null, key_generation: keyGeneration }
}

/** The 32 bytes of a secret. They derive from the enclave's data key of its time and are stored nowhere. */
export function secretBytes(op: Op, { id, key_generation }: WebhookSecretRow): Uint8Array {
  return op.enclave.mac('webhook', id, key_generation)
}

/** A secret as Standard Webhooks writes it. */
export function secretText(op: Op, secret: WebhookSecretRow): string {
  return `whsec_${Buffer.from(secretBytes(op, secret)).toString('base64')}`
}
