import { readInteger } from './number-in.ts'

/** Limits on requests per minute. 0 means unlimited. */
export interface RequestLimits {
  readonly perToken: number
  /** For each agent, each customer with a token, and each team member. */
  readonly perPerson: number
  /** For each IP address that sends no valid credentials. */
  readonly perAddress: number
}

const PRODUCTION: RequestLimits = { perToken: 30_000, perPerson: 600, perAddress: 1_200 }
const REQUESTS_MAX = 100_000_000

/** Reads the settings. A sandbox has no limits by default. Throws ConfigError. */
export function readRequestLimits(
  env: Readonly<Record<string, string | undefined>>,
  mode: 'sandbox' | 'production',
): RequestLimits {
  const readLimit = (name: string, production: number) =>
    readInteger(env, name, {
      min: 0,
      max: REQUESTS_MAX,
      fallback: mode === 'production' ? production : 0,
    })
  return {
    perToken: readLimit('REQUESTS_PER_TOKEN', PRODUCTION.perToken),
    perPerson: readLimit('REQUESTS_PER_PERSON', PRODUCTION.perPerson),
    perAddress: readLimit('REQUESTS_PER_ADDRESS', PRODUCTION.perAddress),
  }
}
