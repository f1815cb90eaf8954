import { expect } from 'vitest'
import { until } from '../client.testing.ts'
import type { Production } from './production.testing.ts'

/** The settings of a server whose erasures begin when they are requested. */
export const ERASES_NOW = { PERSONAL_DATA_DAYS: '0' }

/** Deletes a customer and requests the erasure. */
export async function requestErasure({ client }: Production, customerId: string): Promise<void> {
  const deleted = await client.send('DELETE', `/customers/${customerId}`)
  expect(deleted.status, JSON.stringify(deleted.body)).toBe(200)
  await client.post(`/customers/${customerId}/erasure`)
}

export function waitUntilErased({ client }: Production, customerId: string): Promise<unknown> {
  return until(
    async () => (await client.get(`/customers/${customerId}/erasure`)).body,
    ({ status }) => status === 'DONE',
  )
}

/** Waits until the erasure of a customer waits for a bank file, and returns its status. */
export async function waitUntilErasureWaits(
  { client, service }: Production,
  customerId: string,
): Promise<string> {
  await until(
    async () => (await service.app.db.query(JOBS, [customerId.split(':')[1], service.app.clock()])).rows,
    (rows) => rows.length > 0,
  )
  return (await client.get(`/customers/${customerId}/erasure`)).body.status
}

const JOBS = `SELECT id FROM jobs WHERE kind = 'customer.erase' AND payload->>'customerId' LIKE '%' || $1 AND due_at > $2`

/** Makes the erasures that wait for a bank file try again. */
export async function resumeErasures({ service: { app } }: Production): Promise<void> {
  await app.db.query(`UPDATE jobs SET due_at = $1 WHERE kind = 'customer.erase'`, [app.clock()])
  app.workers.wake()
}
