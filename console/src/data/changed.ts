import { isObject } from '@countersign/contract/core/decode'
import type { Query, QueryClient } from '@tanstack/react-query'

/** A list with more pages is read again only when its reader asks for it, because every page is a call. */
const PAGES_MAX = 3

/** True for a list that was read far. */
export function isLongList({ state }: Pick<Query, 'state'>): boolean {
  const { data } = state
  return isObject(data) && Array.isArray(data.pages) && data.pages.length > PAGES_MAX
}

/** Reads again what the pages show of a noun, or everything; long lists are only marked as changed. Resolves once it is read. */
export async function readChanged(client: QueryClient, noun?: string): Promise<void> {
  const which = noun === undefined ? {} : { queryKey: [noun] }
  await Promise.all([
    client.invalidateQueries({ ...which, predicate: (query) => !isLongList(query) }),
    client.invalidateQueries({ ...which, predicate: isLongList, refetchType: 'none' }),
  ])
}
