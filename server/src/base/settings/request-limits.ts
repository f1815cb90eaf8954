import { numberIn } from './number-in.ts'

/** Request limits per minute. 0: unlimited. */
export interface RequestLimits {
  readonly perToken: number
  /** Each agent, each customer with a token, each team member. */
  readonly perPerson: number
  /** Each IP address without valid credentials. */
  readonly perAddress: number
}

const PRODUCTION: RequestLimits = { perToken: 30_000, perPerson: 600, perAddress: 1_200 }
const REQUESTS_MAX = 100_000_000

/** Throws ConfigError. A sandbox has no limits by default. */
export function readRequestLimits(
  env: Readonly<Record<string, string | undefined>>,
  mode: 'sandbox' | 'production',
): RequestLimits {
  const read = (name: string, production: number) =>
    numberIn(env, name, { least: 0, most: REQUESTS_MAX, otherwise: mode === 'production' ? production : 0 })
  return {
    perToken: read('REQUESTS_PER_TOKEN', PRODUCTION.perToken),
    perPerson: read('REQUESTS_PER_PERSON', PRODUCTION.perPerson),
    perAddress: read('REQUESTS_PER_ADDRESS', PRODUCTION.perAddress),
  }
}
