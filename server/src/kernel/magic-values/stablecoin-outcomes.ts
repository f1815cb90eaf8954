import { getOwnValue } from '@countersign/contract/core/objects'
import type { Scenario } from './magic-values.ts'

type CheckResult = 'accepted' | 'invalid' | 'revoked' | 'unavailable'

/** The outcome of the sandbox's stablecoin provider, by the suffix of `apiClientId`. */
export interface StablecoinScenario extends Scenario {
  readonly atLink: CheckResult
  /** The result of the daily checks. */
  readonly later: CheckResult
  /** The number of accounts to which the credentials give access. */
  readonly accounts: number
}

export const STABLECOIN_SCENARIOS: Readonly<Record<string, StablecoinScenario>> = {
  '002': {
    outcome: '400 STABLECOIN_PROVIDER_ACCOUNT_INVALID',
    meaning: 'The provider does not know the credentials',
    ...{ atLink: 'invalid', later: 'invalid', accounts: 0 },
  },
  '003': {
    outcome: '400 STABLECOIN_PROVIDER_ACCOUNT_REVOKED',
    meaning: 'The provider has revoked the credentials',
    ...{ atLink: 'revoked', later: 'revoked', accounts: 0 },
  },
  '004': {
    outcome: '400 STABLECOIN_PROVIDER_ACCOUNT_SELECTION_REQUIRED',
    meaning: 'The credentials can access two accounts: ACTIVE if providerAccountId names one of them',
    ...{ atLink: 'accepted', later: 'accepted', accounts: 2 },
  },
  '005': {
    outcome: '503 UNAVAILABLE',
    meaning: 'The provider does not respond',
    ...{ atLink: 'unavailable', later: 'unavailable', accounts: 0 },
  },
  '006': {
    outcome: 'INVALID',
    meaning: 'ACTIVE, and refused at the check on the next day',
    ...{ atLink: 'accepted', later: 'invalid', accounts: 1 },
  },
  '007': {
    outcome: 'REVOKED',
    meaning: 'ACTIVE, and revoked at the check on the next day',
    ...{ atLink: 'accepted', later: 'revoked', accounts: 1 },
  },
  '008': {
    outcome: 'ACTIVE',
    meaning: 'ACTIVE, and stays so while the provider does not respond to the daily checks',
    ...{ atLink: 'accepted', later: 'unavailable', accounts: 1 },
  },
}

const ANY_OTHER: StablecoinScenario = {
  outcome: 'ACTIVE',
  meaning: 'The credentials can access one account',
  ...{ atLink: 'accepted', later: 'accepted', accounts: 1 },
}

export function findStablecoinScenario(suffix: string): StablecoinScenario {
  return getOwnValue(STABLECOIN_SCENARIOS, suffix) ?? ANY_OTHER
}
