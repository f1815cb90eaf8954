import { resolve } from 'node:path'
import { ConfigError } from './config-error.ts'
import { parseSignedProvider, type SignedProvider } from './signed-provider.ts'

/** Sources for screening. At least one is set. If both are, the file is checked first. */
export interface ScreeningConfig {
  /** The path of an address file. */
  readonly file?: string
  readonly provider?: SignedProvider
}

type Environment = Readonly<Record<string, string | undefined>>

const NAMES = ['SCREENING_FILE', 'SCREENING_URL', 'SCREENING_SECRET'] as const

/** Reads the settings for address screening. Throws ConfigError with a message that contains no secret. */
export function readScreening(
  env: Environment,
  mode: 'sandbox' | 'production',
  isSafe: (url: string) => boolean,
): { readonly screening?: ScreeningConfig } {
  const givenName = NAMES.find((name) => env[name])
  if (givenName === undefined) return {}
  if (mode === 'sandbox')
    throw new ConfigError(`${givenName} is for production only: the sandbox uses its own list.`)
  const { SCREENING_FILE, SCREENING_URL, SCREENING_SECRET } = env
  const provider = parseSignedProvider('SCREENING', SCREENING_URL, SCREENING_SECRET, isSafe)
  if (provider && 'problem' in provider) throw new ConfigError(provider.problem)
  return {
    screening: {
      ...(SCREENING_FILE ? { file: resolve(SCREENING_FILE) } : {}),
      ...(provider ? { provider } : {}),
    },
  }
}
