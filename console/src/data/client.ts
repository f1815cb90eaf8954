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

/** Answers are kept for as long as a page may show them while it asks again. Events make them stale earlier: `live-events.ts`. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache(),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // The client retries what may be retried; a refusal does not change by asking again.
      retry: false,
      refetchOnWindowFocus: true,
    },
  },
})

/** Whether an error says that what was asked for is not there. */
export function isMissing(error: unknown): boolean {
  return error instanceof CountersignError && error.status === 404
}
