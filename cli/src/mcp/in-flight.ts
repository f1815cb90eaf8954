const REQUESTS_MAX = 200
const REQUESTS_OF_TOKEN_MAX = 16

/**
 * Counts the requests in progress. Limits the total, and the number per token so that one client cannot use
 * the whole capacity.
 */
export class InFlight {
  readonly #counts = new Map<string, number>()
  #total = 0
  #onNone: (() => void)[] = []

  /**
   * Counts a new request. Returns a function to call when it finishes, or undefined if there are too many.
   */
  begin(token: string): (() => void) | undefined {
    const count = this.#counts.get(token) ?? 0
    if (this.#total >= REQUESTS_MAX || count >= REQUESTS_OF_TOKEN_MAX) return undefined
    this.#total += 1
    this.#counts.set(token, count + 1)
    return () => this.#end(token)
  }

  /** Resolves once no request is in progress. */
  waitUntilIdle(): Promise<void> {
    if (this.#total === 0) return Promise.resolve()
    return new Promise((resolve) => this.#onNone.push(resolve))
  }

  #end(token: string): void {
    const count = this.#counts.get(token) ?? 0
    if (count > 1) this.#counts.set(token, count - 1)
    else this.#counts.delete(token)
    this.#total -= 1
    if (this.#total > 0) return
    for (const resolve of this.#onNone.splice(0)) resolve()
  }
}
