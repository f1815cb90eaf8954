import { queryOptions } from '@tanstack/react-query'
import { countersign } from './client.ts'

/** What the overview shows and the navigation counts. */
export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: () => countersign.overview.get(),
})
