import { createHash } from 'node:crypto'
import { takeSuffix } from '../../kernel/magic-values/magic-values.ts'
import { findStablecoinScenario } from '../../kernel/magic-values/stablecoin-outcomes.ts'
import type { StablecoinProvider } from '../../kernel/ports/stablecoin-provider.ts'

const ID_CHARACTERS = 20

/**
 * The sandbox's stablecoin provider. It accepts any secret. The end of `apiClientId` determines the outcome.
 */
export const sandboxStablecoinProvider: StablecoinProvider = {
  environment: 'SANDBOX',
  async check({ apiClientId, isLinked }) {
    const { atLink, later, accounts } = findStablecoinScenario(takeSuffix(apiClientId))
    const outcome = isLinked ? later : atLink
    if (outcome === 'unavailable')
      return { outcome, reason: 'the suffix of apiClientId selects this outcome' }
    if (outcome !== 'accepted') return { outcome }
    return {
      outcome,
      providerAccountIds: Array.from({ length: accounts }, (_, index) => deriveAccountId(apiClientId, index)),
    }
  },
}

/** Derives an account id from the client id, so that the same credentials always access the same accounts. */
function deriveAccountId(apiClientId: string, index: number): string {
  const digest = createHash('sha256').update(`stablecoin account ${index} ${apiClientId}`).digest('base64url')
  return `sandbox_${digest.replaceAll(/[-_]/g, '0').slice(0, ID_CHARACTERS)}`
}
