import type { AnyCaller, Arguments, Caller, ItemOf, PagedName } from './calls.ts'

/** One page of the list endpoint `N`. */
export interface PageOf<N extends PagedName> {
  readonly data: readonly ItemOf<N>[]
  readonly hasMore: boolean
  readonly nextCursor?: string
}

/**
 * Iterates over all records of a paginated list (specification 2.13), fetching pages as needed:
 * `for await (const customer of paginate(client, 'customer_list'))`.
 */
export async function* paginate<N extends PagedName>(
  caller: Caller,
  ...[name, input]: Arguments<N>
): AsyncGenerator<ItemOf<N>, void, undefined> {
  const pages: AnyCaller = caller
  let cursor: string | undefined
  do {
    const cursorQuery = cursor === undefined ? {} : { cursor }
    const { body } = await pages.call(name, { ...input, query: { ...input?.query, ...cursorQuery } })
    const page = body as PageOf<N>
    yield* page.data
    cursor = page.hasMore ? page.nextCursor : undefined
  } while (cursor !== undefined)
}
