import type { Op } from '../../kernel/operation/app.ts'
import type { WebhookSecretRow } from '../../storage/rows/tables.ts'
import { selectValidSecrets } from './store.ts'

/** The values that a secret derives from. */
export type SigningSecret = Pick<WebhookSecretRow, 'id' | 'key_generation'>

/** The secrets that sign deliveries now, the current one first; a second where a replaced one is still valid. */
export async function findSecrets(op: Op): Promise<[WebhookSecretRow, ...WebhookSecretRow[]]> {
  const [present, replaced] = await selectValidSecrets(op)
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
