import { queryOptions } from '@tanstack/react-query'
import { countersign } from './client.ts'

/** Read once for the overview and for the counts of the navigation. */
export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: () => countersign.overview.get(),
})
