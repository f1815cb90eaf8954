interface Total {
  readonly count: number
  readonly amount: bigint
}

type Side = '90C' | '90D'

/** The stated numbers and sums of credits and debits (fields 90C and 90D), which must match the entries. */
export class MtTotals {
  readonly #stated = new Map<string, Total>()
  readonly #counted: Record<Side, { count: number; amount: bigint }> = {
    '90C': { count: 0, amount: 0n },
    '90D': { count: 0, amount: 0n },
  }
  #isUnknown = false

  /** Adds an entry. Its amount may be unreadable. */
  add(amount: bigint | null): void {
    if (amount === null) {
      this.#isUnknown = true
      return
    }
    const side = this.#counted[amount < 0n ? '90D' : '90C']
    side.count += 1
    side.amount += amount < 0n ? -amount : amount
  }

  state(side: string, total: Total): void {
    this.#stated.set(side, total)
  }

  /**
   * Explains how the entries differ from what the bank states. Null if they do not, or if that cannot be
   * determined.
   */
  contradiction(): string | null {
    if (this.#isUnknown) return null
    const wrong = (['90D', '90C'] as const).find((side) => {
      const stated = this.#stated.get(side)
      const { count, amount } = this.#counted[side]
      return stated && (stated.count !== count || stated.amount !== amount)
    })
    if (wrong === undefined) return null
    const { count, amount } = this.#counted[wrong]
    return `its field ${wrong} says ${this.#stated.get(wrong)?.count} entries of ${this.#stated.get(wrong)?.amount}, but it has ${count} of ${amount}`
  }
}
