import type { Answer, Arguments, Caller, Input, ItemOf, PagedName } from './calls.ts'

/**
 * Every record of a paged list (specification 2.13), one page at a time, as needed: `for await (const customer of
 * paginate(client, 'customer_list'))`.
 */
export async function* paginate<N extends PagedName>(
  caller: Caller,
  ...[name, input]: Arguments<N>
): AsyncGenerator<ItemOf<N>, void, undefined> {
  let cursor: string | undefined
  do {
    const from = cursor === undefined ? {} : { cursor }
    const next = { ...input, query: { ...input?.query, ...from } } as Input<N>
    const answer: Answer<N> = await caller.call<N>(...([name, next] as unknown as Arguments<N>))
    const { body } = answer as unknown as {
      body: { data: ItemOf<N>[]; hasMore: boolean; nextCursor?: string }
    }
    yield* body.data
    cursor = body.hasMore ? body.nextCursor : undefined
  } while (cursor !== undefined)
}
