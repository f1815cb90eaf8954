interface PageBody<Item> {
  readonly data: readonly Item[]
  readonly hasMore?: boolean
  readonly nextCursor?: string
}

/**
 * A lazy list: `await` returns the first page, and `for await` yields every record, fetching further pages as
 * needed.
 */
export class Listing<Page, Item> implements Promise<Page>, AsyncIterable<Item> {
  readonly #read: (cursor: string | undefined) => Promise<Page>
  #first: Promise<Page> | undefined
  readonly [Symbol.toStringTag] = 'Listing'

  constructor(read: (cursor: string | undefined) => Promise<Page>) {
    this.#read = read
  }

  then<A = Page, B = never>(
    onPage?: ((page: Page) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#page().then(onPage, onError)
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<Page | B> {
    return this.#page().catch(onError)
  }

  finally(onEnd?: (() => void) | null): Promise<Page> {
    return this.#page().finally(onEnd)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let page = (await this.#page()) as PageBody<Item>
    for (;;) {
      yield* page.data
      if (!page.hasMore || page.nextCursor === undefined) return
      page = (await this.#read(page.nextCursor)) as PageBody<Item>
    }
  }

  #page(): Promise<Page> {
    this.#first ??= this.#read(undefined)
    return this.#first
  }
}
