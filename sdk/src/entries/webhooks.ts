export { type CryptoPort, setCrypto } from '../crypto/port.ts'
export {
  verifySvcSignature,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookRequest,
  WebhookVerificationError,
} from '../webhooks.ts'
