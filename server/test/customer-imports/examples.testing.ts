import type { EndpointName } from '@countersign/contract/api'
import type { Call, Scene } from '../example-world.testing.ts'
import { until } from '../production.testing.ts'

/** How the calls of an import of customers are made for the reference page. */
export const IMPORT_CALLS: Partial<Record<EndpointName, (scene: Scene) => Promise<Call> | Call>> = {
  customer_import_create: () => ({ body: {} }),
  customer_import_get: async ({ client }) => {
    const { body } = await client.post('/customers/bulk/csv', {})
    await until(
      async () => (await client.get(`/customers/bulk/jobs/${body.jobId}`)).body,
      ({ status }) => status === 'COMPLETED',
    )
    return { ids: { CustomerImport: body.jobId } }
  },
}
