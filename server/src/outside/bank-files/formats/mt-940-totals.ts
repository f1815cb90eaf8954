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

  /** Explains how the entries differ from the stated totals. Null if they agree, or if that is unknown. */
  contradiction(): string | null {
    if (this.#isUnknown) return null
    const mismatch = (['90D', '90C'] as const).find((side) => {
      const stated = this.#stated.get(side)
      const { count, amount } = this.#counted[side]
      return stated && (stated.count !== count || stated.amount !== amount)
    })
    if (mismatch === undefined) return null
    const { count, amount } = this.#counted[mismatch]
    const stated = this.#stated.get(mismatch)
    return `field ${mismatch} states ${stated?.count} entries of ${stated?.amount}, but the message has ${count} of ${amount}`
  }
}
