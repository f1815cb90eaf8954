import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Id } from '../core/ids.ts'
import { Timestamp } from '../core/schema.ts'
import { Secret } from '../core/sensitivity.ts'

/** The secret with which deliveries are signed (Standard Webhooks). */
export const WebhookSecret = Type.Object({
  id: Id('WebhookSecret'),
  webhookEndpointId: Type.Optional(
    Id(
      'WebhookEndpoint',
      'The endpoint whose deliveries it signs. Absent: the webhookEndpoint of the configuration',
    ),
  ),
  secret: Secret(Type.String({ description: 'whsec_ and the base64 of 32 bytes' })),
  createdAt: Timestamp(),
  expiresAt: Type.Optional(Timestamp('The time until which a replaced secret stays valid')),
})

export const FORMER_SECRET_SECONDS_MAX = 86_400

const endpointFields = {
  webhookEndpointId: Type.Optional(
    Id('WebhookEndpoint', 'Default: the webhookEndpoint of the configuration'),
  ),
}

export const WebhookSecretCreateRequest = Type.Object({
  ...endpointFields,
  formerValidSeconds: Type.Integer({
    minimum: 0,
    maximum: FORMER_SECRET_SECONDS_MAX,
    description:
      'The seconds for which deliveries also carry a signature with the current secret; 0 if it has leaked',
  }),
})

export const webhook_secret_list = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'GET',
  path: '/webhook-secrets',
  tag: 'Events and webhooks',
  summary: 'List the secrets that sign deliveries',
  description:
    'Lists the secrets with which a receiver verifies deliveries, newest first: one, or two while a ' +
    'replaced secret is still valid.',
  query: Type.Object(endpointFields),
  responses: { 200: Type.Object({ data: Type.Array(WebhookSecret) }) },
  errors: ['INVALID_INPUT', 'WEBHOOK_ENDPOINT_NOT_FOUND'],
})

export const webhook_secret_create = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/webhook-secrets',
  tag: 'Events and webhooks',
  summary: 'Replace the secret',
  description:
    'Creates a new secret, which signs all further deliveries. The current secret stays valid for the ' +
    'requested time; a secret that was replaced earlier is revoked immediately. Takes no ' +
    'Idempotency-Key: a stored response would contain the secret.',
  body: WebhookSecretCreateRequest,
  responses: { 201: WebhookSecret },
  errors: ['INVALID_INPUT', 'WEBHOOK_ENDPOINT_NOT_FOUND'],
})

export const webhookSecrets = { webhook_secret_list, webhook_secret_create }
