import { numberIn } from './number-in.ts'

/** How many requests somebody may make in a minute. 0: as many as there are. */
export interface RequestLimits {
  /** Each API token. */
  readonly perToken: number
  /** Each agent, each customer with a token, each member of a platform. */
  readonly perPerson: number
  /** Each address without valid credentials. */
  readonly perAddress: number
}

const PRODUCTION: RequestLimits = { perToken: 30_000, perPerson: 600, perAddress: 1_200 }
const REQUESTS_MAX = 100_000_000

/** Throws ConfigError. A sandbox limits nobody unless it is told to. */
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
