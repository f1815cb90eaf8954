import { present } from '@countersign/contract/core/objects'
import type { webhookSecrets } from '@countersign/contract/events/webhook-secrets'
import { type Op, plusSeconds } from '../../kernel/operation/app.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { insert, update } from '../../storage/commit/writes.ts'
import type { WebhookSecretRow } from '../../storage/rows/tables.ts'
import { platformIsOpen } from '../platforms/platforms.ts'
import { findSecrets, newSecret, secretText } from '../webhooks/secrets.ts'
import { findEndpoint } from './find-endpoint.ts'

export const webhookSecretHandlers: Handlers<typeof webhookSecrets> = {
  webhook_secret_list: async (op, { query }) => {
    const secrets = await findSecrets(op, await resolveEndpointId(op, query.webhookEndpointId))
    return { status: 200, body: { data: secrets.map((secret) => secretView(op, secret)) } }
  },

  webhook_secret_create: async (op, { body }) => {
    const endpointId = await resolveEndpointId(op, body.webhookEndpointId)
    const [former, replaced] = await findSecrets(op, endpointId)
    const row = newSecret(op, endpointId)
    const revoke = ({ id, expires_at }: WebhookSecretRow) =>
      update('webhook_secrets', id, { expires_at }, { expires_at: op.now })
    const expires_at = plusSeconds(op.now, body.formerValidSeconds)
    return {
      status: 201,
      body: secretView(op, row),
      writes: [
        ...(replaced ? [revoke(replaced)] : []),
        update('webhook_secrets', former.id, { expires_at: null }, { expires_at }),
        insert('webhook_secrets', row),
        platformIsOpen(op.platform),
      ],
    }
  },
}

/** Returns null for the `webhookEndpoint` of the configuration. Throws 404 `WEBHOOK_ENDPOINT_NOT_FOUND`. */
async function resolveEndpointId(op: Op, id: string | undefined): Promise<string | null> {
  return id === undefined ? null : (await findEndpoint(op, id)).id
}

function secretView(op: Op, secret: WebhookSecretRow) {
  return present({
    id: secret.id,
    webhookEndpointId: secret.endpoint_id ?? undefined,
    secret: secretText(op, secret),
    createdAt: secret.created_at.toISOString(),
    expiresAt: secret.expires_at?.toISOString(),
  })
}
