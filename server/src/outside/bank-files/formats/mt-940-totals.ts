interface Total {
  readonly count: number
  readonly amount: bigint
}

type Side = '90C' | '90D'

/** The numbers and sums of credits and debits (fields 90C and 90D), which the entries must match. */
export class MtTotals {
  readonly #stated = new Map<string, Total>()
  readonly #counted: Record<Side, { count: number; amount: bigint }> = {
    '90C': { count: 0, amount: 0n },
    '90D': { count: 0, amount: 0n },
  }
  #isUnknown = false

  /** Adds an entry, whose amount may be unreadable. */
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

  /** The reason why the entries do not match what the bank states; null if they do, or it is unknown. */
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
