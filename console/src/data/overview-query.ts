import { queryOptions } from '@tanstack/react-query'
import { countersign } from './client.ts'

/** Shared by the overview and by the counts in the navigation. */
export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: () => countersign.overview.get(),
})
