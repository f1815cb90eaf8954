import { Gauge, type Registry } from 'prom-client'
import type { EndpointLag } from './store.ts'

/** Gauges of undelivered events. `undefined` means that the database was unavailable. */
export function createWebhookGauges(registry: Registry): (lags: readonly EndpointLag[] | undefined) => void {
  const age = new Gauge({
    name: 'countersign_webhook_oldest_undelivered_seconds',
    help: 'The age of the oldest event that is not delivered yet, retried and queued ones included.',
    registers: [registry],
  })
  const lag = new Gauge({
    name: 'countersign_webhook_endpoint_undelivered_seconds',
    help: 'The age of the oldest event that a webhook endpoint has not received, of the ten that are most behind.',
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
