import type { Endpoint } from '@countersign/contract/core/endpoint'

/** The dated version in the base address (specification 9). */
export const BASE_PATH = '/2025-10-13'

const PARAMETER = /\{(\w+)\}/g

/** Where an endpoint is, as the router has it. What is no part of the API has no version. */
export function urlOf(endpoint: Endpoint): string {
  const base = endpoint.auth === 'cardProcessor' ? '' : BASE_PATH
  return base + endpoint.path.replaceAll(PARAMETER, ':$1')
}

/** The path below the base address in one spelling, however the client escaped it: signatures and keys are bound to it. */
export function pathOf(endpoint: Endpoint, params: Readonly<Record<string, string>>): string {
  return endpoint.path.replaceAll(PARAMETER, (_, name: string) => params[name]!)
}
