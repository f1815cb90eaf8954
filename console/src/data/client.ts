import { API_VERSION } from '@countersign/contract/core/api-version'
import { Countersign, CountersignError } from '@countersign/sdk'
import { QueryCache, QueryClient } from '@tanstack/react-query'
import { connection } from './connection.ts'

/** The one client. The browser adds the cookie of the member's session, which scripts cannot read. */
export const countersign = new Countersign({
  baseUrl: `${location.origin}/${API_VERSION}`,
  triesMax: 2,
  fetch: connection.fetch,
})

/**
 * Responses are cached for as long as a page may show them during a reload. Events make them stale earlier:
 * `live-events.ts`.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache(),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // The client retries what may be retried; retrying a refusal does not change it.
      retry: false,
      refetchOnWindowFocus: true,
    },
  },
})

/** True if an error means that the record does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof CountersignError && error.status === 404
}
