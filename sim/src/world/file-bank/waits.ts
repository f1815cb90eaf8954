import { partsOf } from './entries.ts'
import type { Entry } from './messages.ts'

/** Reports that must wait for a person because of the files in the inbox. */
export class Waits {
  /** Account and currency of statements about other accounts, without duplicates. */
  readonly others = new Set<string>()
  refused = 0
  /** The amounts of entries that cannot be read. */
  readonly unread: bigint[] = []
  /** The entries reported by advices, if advices count. */
  readonly #advised: Entry[] = []
  /** The entries of each statement, in order. */
  readonly #stated: (readonly Entry[])[] = []

  /** A second advice with the same content has no effect, because it may be a repeat of the first. */
  advise(entry: Entry): void {
    if (!this.#advised.includes(entry)) this.#advised.push(entry)
  }

  state(entries: readonly Entry[]): void {
    this.#stated.push(entries)
  }

  /**
   * The amounts of entries that may wait because each may be the sum of deposits reported separately by
   * advices: entries without an advice, while a smaller advised amount has not been on a statement yet.
   */
  get sums(): bigint[] {
    const unconfirmed = [...this.#advised]
    const confirms = (entry: Entry) => {
      const at = unconfirmed.indexOf(entry)
      if (at >= 0) unconfirmed.splice(at, 1)
      return at >= 0
    }
    return this.#stated.flatMap((entries) => {
      const others = entries.filter((entry) => !confirms(entry)).filter(mayBeSum)
      const advisedAmounts = unconfirmed.flatMap(partsOf)
      return others
        .map(({ cents }) => cents)
        .filter((cents) => advisedAmounts.some((amount) => amount < cents))
    })
  }
}

/** True for incoming money that is neither from a single payer nor reported in parts. */
function mayBeSum(entry: Entry): boolean {
  const { cents, details, isUnreadable } = entry
  return cents > 0n && !isUnreadable && details.length !== 1 && partsOf(entry).length === 1
}
