import { present } from '@countersign/contract/core/objects'
import type { webhookSecrets } from '@countersign/contract/events/webhook-secrets'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { insert, update } from '../../storage/commit/writes.ts'
import type { WebhookSecretRow } from '../../storage/rows/tables.ts'
import { guardPlatformOpen } from '../platforms/platforms.ts'
import { findSecrets, formatSecret, newSecret } from '../webhooks/secrets.ts'
import { findEndpoint } from './find-endpoint.ts'

export const webhookSecretHandlers: Handlers<typeof webhookSecrets> = {
  webhook_secret_list: async (op, { query }) => {
    const secrets = await findSecrets(op, await resolveEndpointId(op, query.webhookEndpointId))
    return { status: 200, body: { data: secrets.map((secret) => toSecretView(op, secret)) } }
  },

  webhook_secret_create: async (op, { body }) => {
    const endpointId = await resolveEndpointId(op, body.webhookEndpointId)
    const [former, replaced] = await findSecrets(op, endpointId)
    const row = newSecret(op, endpointId)
    const revoke = ({ id, expires_at }: WebhookSecretRow) =>
      update('webhook_secrets', id, { expires_at }, { expires_at: op.now })
    const expires_at = addSeconds(op.now, body.formerValidSeconds)
    return {
      status: 201,
      body: toSecretView(op, row),
      writes: [
        ...(replaced ? [revoke(replaced)] : []),
        update('webhook_secrets', former.id, { expires_at: null }, { expires_at }),
        insert('webhook_secrets', row),
        guardPlatformOpen(op.platform),
      ],
    }
  },
}

/**
 * Resolves an omitted id to null: the `webhookEndpoint` of the settings. Throws 404
 * `WEBHOOK_ENDPOINT_NOT_FOUND`.
 */
async function resolveEndpointId(op: Op, id: string | undefined): Promise<string | null> {
  return id === undefined ? null : (await findEndpoint(op, id)).id
}

function toSecretView(op: Op, secret: WebhookSecretRow) {
  return present({
    id: secret.id,
    webhookEndpointId: secret.endpoint_id ?? undefined,
    secret: formatSecret(op, secret),
    createdAt: secret.created_at.toISOString(),
    expiresAt: secret.expires_at?.toISOString(),
  })
}
