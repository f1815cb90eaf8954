import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorState, Loading } from './states.tsx'

/** Renders a query's data. Before that, placeholder lines of about the same height, or the error. */
export function QueryResult<Data>(props: {
  readonly query: UseQueryResult<Data>
  readonly lines?: number
  readonly children: (data: Data) => ReactNode
}) {
  const { query, lines, children } = props
  if (query.isPending) return <Loading {...(lines === undefined ? {} : { lines })} />
  if (query.isError && query.data === undefined)
    return <ErrorState error={query.error} retry={() => void query.refetch()} />
  return children(query.data!)
}
