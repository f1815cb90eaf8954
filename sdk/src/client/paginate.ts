import type { AnyCaller, Arguments, Caller, ItemOf, PagedName } from './calls.ts'

/** A page of the list `N`. */
export interface PageOf<N extends PagedName> {
  readonly data: readonly ItemOf<N>[]
  readonly hasMore: boolean
  readonly nextCursor?: string
}

/**
 * Every record of a paged list (specification 2.13), one page at a time, as needed: `for await (const customer of
 * paginate(client, 'customer_list'))`.
 */
export async function* paginate<N extends PagedName>(
  caller: Caller,
  ...[name, input]: Arguments<N>
): AsyncGenerator<ItemOf<N>, void, undefined> {
  const pages: AnyCaller = caller
  let cursor: string | undefined
  do {
    const from = cursor === undefined ? {} : { cursor }
    const { body } = await pages.call(name, { ...input, query: { ...input?.query, ...from } })
    const page = body as PageOf<N>
    yield* page.data
    cursor = page.hasMore ? page.nextCursor : undefined
  } while (cursor !== undefined)
}
