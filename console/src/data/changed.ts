import { isObject } from '@countersign/contract/core/decode'
import type { Query, QueryClient } from '@tanstack/react-query'

/**
 * A list with more loaded pages than this is not reloaded automatically, because each page is a separate
 * call.
 */
const PAGES_MAX = 3

/** True if the reader has loaded many pages of this list. */
export function isLongList({ state }: Pick<Query, 'state'>): boolean {
  const { data } = state
  return isObject(data) && Array.isArray(data.pages) && data.pages.length > PAGES_MAX
}

/**
 * Reloads everything shown of a noun, or everything if none is given. Long lists are only marked as changed.
 * Resolves when all data has been reloaded.
 */
export async function reloadChanged(client: QueryClient, noun?: string): Promise<void> {
  const filters = noun === undefined ? {} : { queryKey: [noun] }
  await Promise.all([
    client.invalidateQueries({ ...filters, predicate: (query) => !isLongList(query) }),
    client.invalidateQueries({ ...filters, predicate: isLongList, refetchType: 'none' }),
  ])
}
