import { keepPreviousData, type Query, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { isLongList } from '../data/changed.ts'

/** One page of an API list response. */
export interface ListPage<Row> {
  readonly data: readonly Row[]
  readonly hasMore: boolean
  readonly nextCursor?: string
  readonly totalCount?: number
  /** Names of the customers and accounts mentioned in the rows. Present with `includeNames`. */
  readonly names?: readonly { readonly id: string; readonly name: string }[]
}

/** The pages of a list loaded so far. */
export interface PagedList<Row> {
  readonly rows: readonly Row[]
  /** Names by id, as returned with the rows. */
  readonly names: ReadonlyMap<string, string>
  readonly totalCount: number | undefined
  readonly isLoading: boolean
  /** True while the rows still belong to the previous filters. */
  readonly isStale: boolean
  /** True if a long list has changed since it was loaded; `reload` starts over from the first page. */
  readonly hasChanged: boolean
  readonly reload: () => void
  readonly error: unknown
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly loadMore: () => void
  readonly retry: () => void
}

/** Rows per page. */
export const PAGE_ROWS = 100

/** Long lists are not refetched automatically, so they never change under the reader. */
const isShort = (query: Pick<Query, 'state'>) => !isLongList(query)

/**
 * An API list, page by page. The first element of `key` is the resource name, which `live-events.ts` uses to
 * invalidate the list. The previous rows stay visible while filters change.
 */
export function usePagedList<Row>(
  key: readonly [resource: string, ...filters: unknown[]],
  read: (page: { limit: number; cursor?: string }) => PromiseLike<ListPage<Row>>,
): PagedList<Row> {
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
