import { API, type EndpointName } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'

/** The endpoints as data: a new one in the table is tested without further code. */
export const ENDPOINTS: readonly (readonly [name: EndpointName, endpoint: Endpoint])[] =
  Object.entries<Endpoint>(API).map(([name, endpoint]) => [name as EndpointName, endpoint])
