export type { WebhookEvent } from '@countersign/contract/events/webhooks'
export {
  verifySvcSignature,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookRequest,
  WebhookVerificationError,
} from '../webhooks.ts'
