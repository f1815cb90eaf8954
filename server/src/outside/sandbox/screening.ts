import { findScreeningScenario } from '../../kernel/magic-values/screening-outcomes.ts'
import type { Screening } from '../../kernel/ports/screening.ts'

/** The sandbox's screening list. The end of an address determines whether it is on the list. */
export const sandboxScreening: Screening = {
  async check({ address }) {
    const scenario = findScreeningScenario(address)
    if (!scenario) return { outcome: 'CLEAR' }
    return {
      outcome: 'HIT',
      list: scenario.list,
      detail: 'The ending of this address is on the screening list of the sandbox',
    }
  },
}
