export { verifyWebhook, WebhookVerificationError } from '../webhooks.ts'
