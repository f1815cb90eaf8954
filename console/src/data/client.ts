import { API_VERSION } from '@countersign/contract/core/api-version'
import { Countersign, CountersignError } from '@countersign/sdk'
import { QueryCache, QueryClient } from '@tanstack/react-query'
import { connection } from './connection.ts'

/**
 * The API client of the whole console. The browser adds the member's session cookie, which scripts cannot
 * read.
 */
export const countersign = new Countersign({
  baseUrl: `${location.origin}/${API_VERSION}`,
  triesMax: 2,
  fetch: connection.fetch,
})

/**
 * Responses are cached for as long as a page may show them during a reload. Events mark them stale earlier:
 * see `live-events.ts`.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache(),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // The API client already retries what is safe to retry, and retrying an error response does not change
      // it.
      retry: false,
      refetchOnWindowFocus: true,
    },
  },
})

/** True if the error says that the record does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof CountersignError && error.status === 404
}
