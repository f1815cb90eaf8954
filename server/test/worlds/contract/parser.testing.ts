import type { Endpoint } from '@countersign/contract/core/endpoint'
import { parseBody } from '../../../src/edge/http/request/json-body.ts'
import { createParser, STRICTLY } from '../../../src/edge/http/request/parse.ts'
import { ApiError } from '../../../src/kernel/operation/operation.ts'
import { type JsonSchema, samples } from './schemas.testing.ts'

/** The parts of a request that are not valid samples. A body is its text. */
export interface Parts {
  readonly query?: Readonly<Record<string, unknown>>
  readonly text?: string
}

/** Parses requests to an endpoint as the server does, and returns the refusal, or undefined for a valid request. */
export function refusalsOf(endpoint: Endpoint): (parts: Parts) => Promise<ApiError | undefined> {
  const parse = createParser(endpoint)
  const validParams = samples((endpoint.params ?? { properties: {} }) as JsonSchema)[0]
  return async ({ query = requiredQuery(endpoint), text }) => {
    try {
      const body = parseBody(text === undefined ? undefined : Buffer.from(text), endpoint.bodyMembersMax)
      await parse({ params: { ...(validParams as object) }, query: { ...query }, body }, STRICTLY)
      return undefined
    } catch (error) {
      if (error instanceof ApiError) return error
      throw error
    }
  }
}

/** Valid values of the parameters that a query must have, as they stand in an address. */
export function requiredQuery(endpoint: Endpoint): Readonly<Record<string, string>> {
  const { required = [], properties = {} } = (endpoint.query ?? {}) as JsonSchema
  return Object.fromEntries(required.map((name) => [name, String(samples(properties[name]!)[0])]))
}
