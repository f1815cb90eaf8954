import { API_VERSION } from '@countersign/contract/core/api-version'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { requireValue } from '../../base/formats/require-value.ts'
import type { Config } from '../../base/settings/config.ts'

/** The version date in the base URL (specification 9). */
export const BASE_PATH = `/${API_VERSION}`

/** The base path as callers see it, including the prefix from `COUNTERSIGN_BASE_PATH`. */
export function getPublicBasePath({ pathPrefix }: Pick<Config, 'pathPrefix'>): string {
  return pathPrefix + BASE_PATH
}

/** Removes that prefix from the URL of a request, for routing. */
export function removePrefix({ pathPrefix }: Pick<Config, 'pathPrefix'>, url: string): string {
  return pathPrefix !== '' && url.startsWith(`${pathPrefix}${BASE_PATH}/`)
    ? url.slice(pathPrefix.length)
    : url
}

/** Endpoints for external systems that report to us are not part of the API. */
const OUTSIDE: ReadonlySet<Endpoint['auth']> = new Set(['cardProcessor', 'verificationProvider', 'rail'])

const PARAMETER = /\{(\w+)\}/g

/** The path of an endpoint in the router. Paths outside of the API have no version. */
export function toRouterPath(endpoint: Endpoint): string {
  const base = OUTSIDE.has(endpoint.auth) ? '' : BASE_PATH
  return base + endpoint.path.replaceAll(PARAMETER, ':$1')
}

/**
 * The path below the base URL in its canonical form, however the client escaped it. Signatures and
 * idempotency keys are bound to it.
 */
export function toCanonicalPath(endpoint: Endpoint, params: Readonly<Record<string, string>>): string {
  return endpoint.path.replaceAll(PARAMETER, (_, name: string) => requireValue(params[name], name))
}
