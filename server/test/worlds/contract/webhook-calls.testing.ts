import type { EndpointName } from '@countersign/contract/api'
import type { Call, Scene } from './scene.testing.ts'

/** The calls about webhook endpoints whose records or bodies are not the usual ones. */
export const WEBHOOK_CALLS: Partial<Record<EndpointName, (scene: Scene) => Promise<Call> | Call>> = {
  webhook_endpoint_create: () => ({
    body: {
      url: 'https://books.example.com/events',
      description: 'Bookkeeping',
      eventTypes: ['OUTGOING_PAYMENT.COMPLETED', 'INCOMING_PAYMENT.COMPLETED'],
    },
  }),
  webhook_endpoint_delete: async ({ client }) => {
    const { id } = await client.call('webhook_endpoint_create', { body: { url: 'https://example.com/hook' } })
    return { ids: { WebhookEndpoint: id } }
  },
}
