import { partsOf } from './entries.ts'
import type { Entry } from './messages.ts'

/** Cases that have to wait for a person because of what the bank has put into the inbox. */
export class Waits {
  /** Account and currency, once for each. */
  readonly others = new Set<string>()
  refused = 0
  /** The amounts of entries that nobody can read. */
  readonly unread: bigint[] = []
  /** The entries that advices tell of, if advices count. */
  readonly #advised: Entry[] = []
  /** The entries of each statement, in their order. */
  readonly #stated: (readonly Entry[])[] = []

  advise(entry: Entry): void {
    this.#advised.push(entry)
  }

  state(entries: readonly Entry[]): void {
    this.#stated.push(entries)
  }

  /**
   * The amounts of entries that may wait because they may be the sum of deposits that advices have told one by one: of entries
   * that no advice tells of, while one tells of less that no statement has told yet.
   */
  get sums(): bigint[] {
    const left = [...this.#advised]
    const confirms = (entry: Entry) => {
      const at = left.indexOf(entry)
      if (at >= 0) left.splice(at, 1)
      return at >= 0
    }
    return this.#stated.flatMap((entries) => {
      const others = entries.filter((entry) => !confirms(entry)).filter(mayBeSum)
      const counted = left.flatMap(partsOf)
      return others.map(({ cents }) => cents).filter((cents) => counted.some((amount) => amount < cents))
    })
  }
}

/** True for money in that is not of one payer, and is not told in parts. */
function mayBeSum(entry: Entry): boolean {
  const { cents, details, isUnreadable } = entry
  return cents > 0n && !isUnreadable && details.length !== 1 && partsOf(entry).length === 1
}
