import { ConfigError } from './config-error.ts'
import { isSafeUrl } from './safe-url.ts'

/** The connection to Brale, a stablecoin provider. */
export interface BraleConfig {
  readonly environment: 'SANDBOX' | 'PRODUCTION'
  readonly authUrl: string
  /** Without a trailing slash. */
  readonly apiUrl: string
}

type Environment = Readonly<Record<string, string | undefined>>

const AUTH_URL_DEFAULT = 'https://auth.brale.xyz/oauth2/token'
const API_URL_DEFAULT = 'https://api.brale.xyz'

/** Reads Brale's settings. They are used only if the environment is set. Throws ConfigError. */
export function readBrale(env: Environment): { readonly brale?: BraleConfig } {
  const environment = env.BRALE_ENVIRONMENT
  if (!environment) {
    for (const name of ['BRALE_AUTH_URL', 'BRALE_API_URL'])
      if (env[name]) throw new ConfigError(`${name} has no effect without BRALE_ENVIRONMENT.`)
    return {}
  }
  if (environment !== 'SANDBOX' && environment !== 'PRODUCTION')
    throw new ConfigError(`BRALE_ENVIRONMENT must be one of SANDBOX, PRODUCTION, not "${environment}".`)
  const authUrl = readUrl(env, 'BRALE_AUTH_URL', AUTH_URL_DEFAULT)
  const apiUrl = readUrl(env, 'BRALE_API_URL', API_URL_DEFAULT).replace(/\/+$/, '')
  return { brale: { environment, authUrl, apiUrl } }
}

function readUrl(env: Environment, name: string, fallback: string): string {
  const text = env[name] || fallback
  if (!isSafeUrl(text) || new URL(text).search)
    throw new ConfigError(
      `${name} must begin with https:// (http:// only for this machine) and have no user or query, not "${text}".`,
    )
  return new URL(text).href
}
