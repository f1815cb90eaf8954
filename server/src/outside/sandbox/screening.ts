import { screeningScenarioOf } from '../../kernel/magic-values/screening-outcomes.ts'
import type { Screening } from '../../kernel/ports/screening.ts'

/** The sandbox's screening list. An address is on it depending on how the address ends. */
export const sandboxScreening: Screening = {
  async check({ address }) {
    const scenario = screeningScenarioOf(address)
    if (!scenario) return { outcome: 'CLEAR' }
    return {
      outcome: 'HIT',
      list: scenario.list,
      detail: 'The address ends as one on the list of the sandbox',
    }
  },
}
