import type { BankMoney } from './camt-details.ts'
import type { BankEntry } from './camt-entry.ts'

interface Balance extends BankMoney {
  readonly type: string
}

/** The sums of a statement's booked entries, by currency. */
export class BookedSums {
  readonly #sums = new Map<string, bigint>()
  readonly #unread = new Map<string, bigint>()
  /** True if an entry with an unknown amount is missing from the sums. */
  hasUnknown = false

  add({ status, amount, currency }: BankEntry): void {
    if (status === 'BOOK') this.#sums.set(currency, this.sumIn(currency) + amount)
  }

  /** Counts an entry that waits for manual review, if it is booked and its amount is known. */
  addUnread(
    status: string | undefined,
    money: { readonly read: BankMoney } | { readonly reason: string },
  ): void {
    if (status === undefined || (status === 'BOOK' && !('read' in money))) this.hasUnknown = true
    else if (status === 'BOOK' && 'read' in money) {
      const { amount, currency } = money.read
      this.#unread.set(currency, (this.#unread.get(currency) ?? 0n) + amount)
    }
  }

  sumIn(currency: string | undefined): bigint {
    // A statement without a currency has the currency of its entries, if they all agree.
    if (currency === undefined) return this.#sums.size === 1 ? ([...this.#sums.values()][0] ?? 0n) : 0n
    return this.#sums.get(currency) ?? 0n
  }

  /**
   * Explains why the opening balance and the booked entries do not add up to the closing balance. Null if
   * they do, or if that is unknown.
   */
  contradictionTo(balances: readonly Balance[]): string | null {
    const opening =
      balances.find(({ type }) => type === 'OPBD') ?? balances.find(({ type }) => type === 'PRCD')
    const closing = balances.findLast(({ type }) => type === 'CLBD')
    if (!opening || !closing || opening.currency !== closing.currency || this.hasUnknown) return null
    const { currency } = opening
    // The exchange rate of an entry in another currency is unknown.
    if ([...this.#sums.keys(), ...this.#unread.keys()].some((other) => other !== currency)) return null
    const booked = this.sumIn(currency) + (this.#unread.get(currency) ?? 0n)
    if (opening.amount + booked === closing.amount) return null
    return `the opening balance ${opening.amount} and the entries ${booked} do not add up to the closing balance ${closing.amount}`
  }
}
