import { partsOf } from './entries.ts'
import type { Entry } from './messages.ts'

/** Cases that must wait for a person because of the files in the inbox. */
export class Waits {
  /** Account and currency, once for each. */
  readonly others = new Set<string>()
  refused = 0
  /** The amounts of entries that nobody can read. */
  readonly unread: bigint[] = []
  /** The entries that advices report, if advices count. */
  readonly #advised: Entry[] = []
  /** The entries of each statement, in their order. */
  readonly #stated: (readonly Entry[])[] = []

  /** A second advice with the same content has no effect: it may be a repeat of the first. */
  advise(entry: Entry): void {
    if (!this.#advised.includes(entry)) this.#advised.push(entry)
  }

  state(entries: readonly Entry[]): void {
    this.#stated.push(entries)
  }

  /**
   * The amounts of entries that may wait because they may be the sum of deposits that advices have reported
   * separately: entries without an advice, while there is a smaller advised amount that no statement has
   * reported yet.
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

/** True for incoming money that is not from one payer, and not reported in parts. */
function mayBeSum(entry: Entry): boolean {
  const { cents, details, isUnreadable } = entry
  return cents > 0n && !isUnreadable && details.length !== 1 && partsOf(entry).length === 1
}
