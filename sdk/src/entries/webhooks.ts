export { type CryptoPort, setCrypto } from '../crypto/port.ts'
export type { EventEnvelope, EventType, WebhookBodies } from '../generated/types.ts'
export {
  verifySvcSignature,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookRequest,
  WebhookVerificationError,
} from '../webhooks/webhooks.ts'
