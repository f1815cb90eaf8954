import { API_VERSION } from '@countersign/contract/core/api-version'
import type { Endpoint } from '@countersign/contract/core/endpoint'

/** The dated version in the base address (specification 9). */
export const BASE_PATH = `/${API_VERSION}`

/** Who reports to us: their addresses are no part of the API. */
const OUTSIDE: ReadonlySet<Endpoint['auth']> = new Set(['cardProcessor', 'verificationProvider', 'rail'])

const PARAMETER = /\{(\w+)\}/g

/** The path of an endpoint in the router. An endpoint outside the API has no version. */
export function urlOf(endpoint: Endpoint): string {
  const base = OUTSIDE.has(endpoint.auth) ? '' : BASE_PATH
  return base + endpoint.path.replaceAll(PARAMETER, ':$1')
}

/**
 * The path below the base address in its canonical spelling, however the client escaped it. Signatures and keys are
 * bound to it.
 */
export function pathOf(endpoint: Endpoint, params: Readonly<Record<string, string>>): string {
  return endpoint.path.replaceAll(PARAMETER, (_, name: string) => params[name]!)
}
