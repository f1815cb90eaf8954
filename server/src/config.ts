import { resolve } from 'node:path'

/** Everything the process takes from its environment, read once at start. The README has the same table. */
export interface Config {
  readonly host: string
  readonly port: number
  readonly mode: 'sandbox' | 'production'
  readonly dataDir: string
  /** PostgreSQL; absent: the embedded database in `dataDir`. */
  readonly databaseUrl?: string
  /** 32 bytes. Absent in sandbox: made once and kept in `dataDir`. */
  readonly masterKey?: Uint8Array
  readonly logLevel: (typeof LOG_LEVELS)[number]
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const

/** A setting that cannot be used. `message` is one line that names the variable. */
export class ConfigError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the settings. Throws ConfigError at the first bad one. */
export function readConfig(env: Environment): Config {
  const mode = oneOf(env, 'COUNTERSIGN_MODE', ['sandbox', 'production'], 'sandbox')
  const masterKey = readMasterKey(env)
  if (mode === 'production' && !masterKey)
    throw new ConfigError('COUNTERSIGN_MASTER_KEY is required in production: 32 random bytes as 64 hex digits')
  const databaseUrl = env.DATABASE_URL || undefined
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl))
    throw new ConfigError('DATABASE_URL must begin with postgres:// (leave it unset for the embedded database)')
  return {
    host: env.HOST || '127.0.0.1',
    port: readPort(env),
    mode,
    dataDir: resolve(env.COUNTERSIGN_DATA_DIR || '.countersign'),
    ...(databaseUrl ? { databaseUrl } : {}),
    ...(masterKey ? { masterKey } : {}),
    logLevel: oneOf(env, 'LOG_LEVEL', LOG_LEVELS, mode === 'production' ? 'info' : 'warn'),
  }
}

function readPort(env: Environment): number {
  const text = env.PORT || '8787'
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65535) throw new ConfigError(`PORT must be a number from 0 to 65535, not "${text}"`)
  return port
}

function readMasterKey(env: Environment): Uint8Array | undefined {
  const text = env.COUNTERSIGN_MASTER_KEY
  if (!text) return undefined
  // The value is a secret: the message does not repeat it.
  if (!/^[0-9a-fA-F]{64}$/.test(text))
    throw new ConfigError('COUNTERSIGN_MASTER_KEY must be 64 hex digits (32 bytes), for example from: openssl rand -hex 32')
  return Buffer.from(text, 'hex')
}

function oneOf<const T extends readonly string[]>(env: Environment, name: string, words: T, fallback: T[number]): T[number] {
  const text = env[name]
  if (!text) return fallback
  if (!words.includes(text)) throw new ConfigError(`${name} must be one of ${words.join(', ')}, not "${text}"`)
  return text
}
