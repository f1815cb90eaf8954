import { partsOf } from './entries.ts'
import type { Entry } from './messages.ts'

/** Cases that have to wait for a person because of what the bank has put into the inbox. */
export class Waits {
  /** Account and currency, once for each. */
  readonly others = new Set<string>()
  refused = 0
  /** The amounts of entries that nobody can read. */
  readonly unread: bigint[] = []
  /** The amounts of entries that may be the sum of deposits that advices have told one by one. They may wait, and no others of their kind. */
  readonly sums: bigint[] = []
  /** The entries that advices tell of, until a statement does. */
  readonly #advised: Entry[] = []

  /** An advice that counts tells of an entry. */
  advise(entry: Entry): void {
    this.#advised.push(entry)
  }

  /** A statement tells of these entries. What an advice tells of as well is counted by that, before or after the statement. */
  state(entries: readonly Entry[]): void {
    const unadvised = entries.filter((entry) => !this.#confirms(entry))
    const counted = this.#advised.flatMap(partsOf)
    for (const entry of unadvised)
      if (mayBeSum(entry) && counted.some((amount) => amount < entry.cents)) this.sums.push(entry.cents)
  }

  #confirms(entry: Entry): boolean {
    const at = this.#advised.indexOf(entry)
    if (at >= 0) this.#advised.splice(at, 1)
    return at >= 0
  }
}

/** True for money in that is not of one payer, and is not told in parts. */
function mayBeSum(entry: Entry): boolean {
  const { cents, details, isUnreadable } = entry
  return cents > 0n && !isUnreadable && details.length !== 1 && partsOf(entry).length === 1
}
