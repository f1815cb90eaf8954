import { queryOptions } from '@tanstack/react-query'
import { countersign } from './client.ts'

/** Others may also move the clock. */
const READ_AGAIN_MS = 30_000

/** The clock of the platform. Only a sandbox has this call; in production it is real time. */
export const clockQuery = queryOptions({
  queryKey: ['clock'],
  queryFn: () => countersign.sandbox.clock(),
  refetchInterval: READ_AGAIN_MS,
})
