import { Gauge, type Registry } from 'prom-client'
import type { EndpointLag } from './store.ts'

/** Creates gauges of undelivered events. `undefined` means that the database was unavailable. */
export function createWebhookGauges(registry: Registry): (lags: readonly EndpointLag[] | undefined) => void {
  const age = new Gauge({
    name: 'countersign_webhook_oldest_undelivered_seconds',
    help: 'The age of the oldest undelivered event, including queued and retried ones.',
    registers: [registry],
  })
  const lag = new Gauge({
    name: 'countersign_webhook_endpoint_undelivered_seconds',
    help: 'The age of the oldest event that a webhook endpoint has not received, for the ten endpoints that are furthest behind.',
    labelNames: ['endpoint'],
    registers: [registry],
  })
  return (lags) => {
    lag.reset()
    for (const { endpoint, seconds } of lags ?? []) lag.set({ endpoint }, seconds)
    // A gauge without labels would keep its last value.
    if (lags === undefined) age.remove()
    else age.set(Math.max(0, ...lags.map(({ seconds }) => seconds)))
  }
}
