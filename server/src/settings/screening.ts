import { resolve } from 'node:path'
import { secretOfText } from '../crypto/standard-webhooks.ts'
import { ConfigError } from './config-error.ts'

/** Who knows the addresses that must not be paid. At least one is there; both are asked, the file first. */
export interface ScreeningConfig {
  /** The path of a file of addresses. */
  readonly file?: string
  readonly provider?: ScreeningProviderConfig
}

export interface ScreeningProviderConfig {
  readonly url: string
  /** Sign what is sent: the present one first, and one that is being replaced. */
  readonly secrets: readonly Uint8Array[]
}

type Environment = Readonly<Record<string, string | undefined>>

const NAMES = ['SCREENING_FILE', 'SCREENING_URL', 'SCREENING_SECRET'] as const

/** Reads the settings of the screening of addresses. Throws ConfigError, whose message repeats no secret. */
export function readScreening(
  env: Environment,
  mode: 'sandbox' | 'production',
  isSafe: (url: string) => boolean,
): { readonly screening?: ScreeningConfig } {
  const given = NAMES.find((name) => env[name])
  if (given === undefined) return {}
  if (mode === 'sandbox')
    throw new ConfigError(`${given} belongs to production: the sandbox has a list of its own`)
  const { SCREENING_FILE } = env
  const provider = readProvider(env, isSafe)
  return {
    screening: {
      ...(SCREENING_FILE ? { file: resolve(SCREENING_FILE) } : {}),
      ...(provider ? { provider } : {}),
    },
  }
}

function readProvider(
  { SCREENING_URL, SCREENING_SECRET }: Environment,
  isSafe: (url: string) => boolean,
): ScreeningProviderConfig | undefined {
  if (!SCREENING_URL && !SCREENING_SECRET) return undefined
  if (!SCREENING_URL) throw new ConfigError('SCREENING_URL is missing: it belongs to SCREENING_SECRET')
  if (!SCREENING_SECRET) throw new ConfigError('SCREENING_SECRET is missing: it belongs to SCREENING_URL')
  if (!isSafe(SCREENING_URL))
    throw new ConfigError(
      'SCREENING_URL must begin with https:// (http:// for this machine alone) and have no user, password or fragment',
    )
  const secrets = SCREENING_SECRET.split(',').map((secret) => secretOfText(secret.trim()))
  const known = secrets.filter((secret) => secret !== undefined)
  if (known.length < secrets.length || known.length > 2)
    throw new ConfigError(
      'SCREENING_SECRET must be one or two secrets like whsec_… with 24 to 64 bytes in base64, separated by a comma',
    )
  return { url: new URL(SCREENING_URL).href, secrets: known }
}
