import { getOwnValue } from '@countersign/contract/core/objects'
import type { Scenario } from './magic-values.ts'

/**
 * Chain addresses on the sandbox's screening list, by the end of the address in any case. All others are
 * clear.
 */
export const SCREENING_SCENARIOS: Readonly<Record<string, Scenario<'HIT'> & { readonly list: string }>> = {
  bad0: {
    outcome: 'HIT',
    list: 'sandbox',
    meaning:
      'The address is on a list: the payment or the deposit waits for POST /screenings/{screeningId}/release',
  },
}

/** The list entry for an address, if there is one. */
export function findScreeningScenario(address: string) {
  const end = address.slice(-4).toLowerCase()
  return getOwnValue(SCREENING_SCENARIOS, end)
}
