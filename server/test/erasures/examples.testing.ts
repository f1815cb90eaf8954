import type { EndpointName } from '@countersign/contract/api'
import type { Call, Scene } from '../example-world.testing.ts'
import { PERSON } from '../verifications.testing.ts'

/** The calls about erasures, for which a customer has to be deleted. */
export const ERASURE_CALLS: Partial<Record<EndpointName, (scene: Scene) => Promise<Call>>> = {
  customer_erase: async ({ client }) => ({ ids: { Customer: await deleted(client) } }),
  customer_erasure_get: async ({ client }) => {
    const id = await deleted(client)
    await client.post(`/customers/${id}/erasure`)
    return { ids: { Customer: id } }
  },
}

async function deleted(client: Scene['client']): Promise<string> {
  const { id } = (await client.post('/customers', PERSON)).body
  await client.send('DELETE', `/customers/${id}`)
  return id
}
