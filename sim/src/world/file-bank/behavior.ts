import type { Random } from '../../machine/random.ts'

/** The bank's way of reporting the account. */
export interface FileBankBehavior {
  readonly depositsFrom: 'STATEMENTS' | 'ADVICES'
  /** True if all statements have the same id. */
  readonly reusesIds: boolean
  /**
   * The fraction of entries reported by advices, and the fraction of steps in which a file without new
   * content arrives.
   */
  readonly advices: number
  readonly extras: number
}

export function chooseFileBankBehavior(random: Random): FileBankBehavior {
  return {
    depositsFrom: random.pick(['STATEMENTS', 'ADVICES']),
    reusesIds: random.chance(0.2),
    advices: random.pick([0, 0.3, 0.8]),
    extras: random.pick([0, 0.2, 0.5]),
  }
}
