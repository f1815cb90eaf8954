import { toAmounts } from './entries.ts'
import type { Entry } from './messages.ts'

/** The reports that must be held for manual review because of the files in the inbox. */
export class ExpectedReports {
  /** Accounts and currencies of statements about other accounts. */
  readonly otherAccounts = new Set<string>()
  refused = 0
  /** The amounts of unreadable entries. */
  readonly unread: bigint[] = []
  /** The entries reported by advices, if advices count. */
  readonly #advised: Entry[] = []
  /** The entries of each statement, in order. */
  readonly #stated: (readonly Entry[])[] = []

  /** A second advice with the same content has no effect, because it may be a repeat of the first. */
  recordAdvice(entry: Entry): void {
    if (!this.#advised.includes(entry)) this.#advised.push(entry)
  }

  recordStatement(entries: readonly Entry[]): void {
    this.#stated.push(entries)
  }

  /**
   * The amounts of entries that may wait because each may be the sum of several deposits, which advices have
   * reported individually. These are entries without an advice, while a smaller advised amount has not been
   * on a statement yet.
   */
  get possibleSums(): bigint[] {
    const unconfirmed = [...this.#advised]
    const confirmAdvice = (entry: Entry) => {
      const at = unconfirmed.indexOf(entry)
      if (at >= 0) unconfirmed.splice(at, 1)
      return at >= 0
    }
    return this.#stated.flatMap((entries) => {
      const others = entries.filter((entry) => !confirmAdvice(entry)).filter(mayBeSum)
      const advisedAmounts = unconfirmed.flatMap(toAmounts)
      return others
        .map(({ cents }) => cents)
        .filter((cents) => advisedAmounts.some((amount) => amount < cents))
    })
  }
}

/** True for incoming money that has neither a single payer nor individual parts. */
function mayBeSum(entry: Entry): boolean {
  const { cents, details, isUnreadable } = entry
  return cents > 0n && !isUnreadable && details.length !== 1 && toAmounts(entry).length === 1
}
