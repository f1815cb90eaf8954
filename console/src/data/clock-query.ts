import { queryOptions } from '@tanstack/react-query'
import { countersign } from './client.ts'

/** Polled, because other members may also move the clock. */
const POLL_MS = 30_000

/** The platform's clock. Only available in a sandbox; in production the platform's time is real time. */
export const clockQuery = queryOptions({
  queryKey: ['clock'],
  queryFn: () => countersign.sandbox.clock(),
  refetchInterval: POLL_MS,
})
