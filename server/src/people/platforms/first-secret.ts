import { buildId, extractUuid } from '../../storage/engine/ids.ts'
import type { PlatformRow, WebhookSecretRow } from '../../storage/rows/tables.ts'

/** Builds the webhook secret of a new platform. */
export function buildFirstSecret(
  { id, created_at }: Pick<PlatformRow, 'id' | 'created_at'>,
  keyGeneration: number,
): WebhookSecretRow {
  const secretId = buildId('WebhookSecret', extractUuid(id))
  return {
    id: secretId,
    platform_id: id,
    endpoint_id: null,
    created_at,
    expires_at: null,
    key_generation: keyGeneration,
  }
}
