import { keepPreviousData, type Query, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { isLongList } from '../data/changed.ts'

/** One page of a list of the API. */
export interface ListPage<Row> {
  readonly data: readonly Row[]
  readonly hasMore: boolean
  readonly nextCursor?: string
  readonly totalCount?: number
  /** With `includeNames`: of the customers and accounts that the rows mention. */
  readonly names?: readonly { readonly id: string; readonly name: string }[]
}

/** A list as far as it was read. */
export interface Listed<Row> {
  readonly rows: readonly Row[]
  /** The names that came with the rows, by id. */
  readonly names: ReadonlyMap<string, string>
  readonly totalCount: number | undefined
  readonly isLoading: boolean
  /** The rows match the former filters, until the rows of the new ones are read. */
  readonly isStale: boolean
  /** The list is long and has changed since: `reload` reads its first page. */
  readonly hasChanged: boolean
  readonly reload: () => void
  readonly error: unknown
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly loadMore: () => void
  readonly retry: () => void
}

/** The size of a page. */
export const PAGE_ROWS = 100

/** A long list is not reloaded without a reason that is visible to its reader. */
const isShort = (query: Pick<Query, 'state'>) => !isLongList(query)

/**
 * A list of the API, page by page. `key` names the noun first, so that events of it make the list stale: `live-events.ts`. While the
 * filters change, the former rows stay.
 */
export function useListed<Row>(
  key: readonly [noun: string, ...filters: unknown[]],
  read: (page: { limit: number; cursor?: string }) => PromiseLike<ListPage<Row>>,
): Listed<Row> {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam }) =>
      await read({ limit: PAGE_ROWS, ...(pageParam === undefined ? {} : { cursor: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ hasMore, nextCursor }) => (hasMore ? nextCursor : undefined),
    placeholderData: keepPreviousData,
    refetchOnMount: isShort,
    refetchOnReconnect: isShort,
    refetchOnWindowFocus: isShort,
  })
  const { data, fetchNextPage, refetch } = query
  const client = useQueryClient()
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data])
  const names = useMemo(
    () => new Map(data?.pages.flatMap((page) => page.names ?? []).map(({ id, name }) => [id, name])),
    [data],
  )
  return {
    rows,
    names,
    totalCount: data?.pages[0]?.totalCount,
    isLoading: query.isPending,
    isStale: query.isPlaceholderData,
    hasChanged: query.isStale && client.getQueryState(key)?.isInvalidated === true && !query.isFetching,
    reload: () => void client.resetQueries({ queryKey: key, exact: true }),
    error: query.isError && rows.length === 0 ? query.error : undefined,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: useCallback(() => void fetchNextPage(), [fetchNextPage]),
    retry: useCallback(() => void refetch(), [refetch]),
  }
}
