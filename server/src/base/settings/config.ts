import { resolve } from 'node:path'
import type { Networks } from '../formats/ip-addresses.ts'
import { type FeeSchedule, parseFees } from '../pricing/fees.ts'
import { type BraleConfig, readBrale } from './brale.ts'
import { ConfigError } from './config-error.ts'
import { readDatabaseSchema } from './database-schema.ts'
import { type DocumentsConfig, parseDocuments } from './documents.ts'
import { type InterfaceNames, readInterfaceNames } from './interface-names.ts'
import { readSms, readSmtp, type SmsConfig, type SmtpConfig } from './message-delivery.ts'
import {
  type MessageLimit,
  type MessageRules,
  parseMessageLimit,
  parseSenderDomains,
} from './message-rules.ts'
import { readInteger } from './number-in.ts'
import { readChoice } from './one-of.ts'
import { type PositionLimits, readPositionLimits } from './position-limits.ts'
import { type RequestLimits, readRequestLimits } from './request-limits.ts'
import { readRequestLogDays } from './request-log.ts'
import { type Retention, readRetention } from './retention.ts'
import { isSafeUrl } from './safe-url.ts'
import { readScreening, type ScreeningConfig } from './screening.ts'
import { readStopping, type StoppingConfig } from './shutdown.ts'
import { parseSignedProvider, type SignedProvider } from './signed-provider.ts'
import { readTracing, type TracingConfig } from './tracing.ts'
import { readTrustedProxies } from './trusted-proxies.ts'
import { type KnownUmaProvider, readUmaProviders } from './uma-providers.ts'

/**
 * All settings from the environment of the process, read once at startup. docs/operations.md lists them too.
 */
export interface Config extends InterfaceNames {
  readonly host: string
  readonly port: number
  /** A separate port for probes and metrics. If absent, they are available only on `port`. */
  readonly healthPort?: number
  readonly mode: 'sandbox' | 'production'
  readonly dataDir: string
  /** The URL of PostgreSQL. If absent, the embedded database in `dataDir` is used. */
  readonly databaseUrl?: string
  /** The URL of a standby of the database, for reads. */
  readonly databaseReadUrl?: string
  /** The PostgreSQL schema with this server's tables. */
  readonly databaseSchema: string
  /** False if statements must never be prepared by PostgreSQL. */
  readonly preparesStatements: boolean
  /** The maximum number of open connections. Further ones are closed. */
  readonly connectionsMax: number
  readonly stopping: StoppingConfig
  readonly requestLimits: RequestLimits
  /** The raw values of settings that must be the same on all servers of a database. */
  readonly sharedSettings: Readonly<Record<string, string>>
  /** The public origin of this server. Defaults to the address on which it listens. */
  readonly publicUrl?: string
  /** The origin of the other deployment (sandbox or production), to whose console people can switch. */
  readonly otherConsoleUrl?: string
  /** Networks whose `X-Forwarded-For` header is trusted. */
  readonly trustedProxies: Networks
  /** 32 bytes. Absent in the sandbox, which creates its own key in `dataDir`. */
  readonly masterKey?: Uint8Array
  /** The new key for `master-key rotate`, 32 bytes. */
  readonly newMasterKey?: Uint8Array
  /** True if each request is logged to the terminal. */
  readonly requestLines: boolean
  /** The number of days for which logged requests are kept. 0 disables the request log. */
  readonly requestLogDays: number
  readonly retention: Retention
  readonly logLevel: (typeof LOG_LEVELS)[number]
  /**
   * The token for `GET /metrics`. If absent, it is open to everyone in the sandbox, and 404 in production.
   */
  readonly metricsToken?: string
  /** The trace collector. If absent, tracing is disabled. */
  readonly tracing?: TracingConfig
  /** The mail server. If absent, email cannot be sent. */
  readonly smtp?: SmtpConfig
  /** The SMS gateway. If absent, text messages cannot be sent. */
  readonly sms?: SmsConfig
  /** Limits on the messages of platforms, and their sender domains. */
  readonly messageRules: MessageRules
  /** The source of exchange rates. If absent, the sandbox uses its own, and production has no default. */
  readonly rates?: RatesConfig
  /** The provider that verifies customers. If absent, team members decide. */
  readonly verification?: SignedProvider
  readonly documents: DocumentsConfig
  /** The fees of payments, by pair of currencies. */
  readonly fees: FeeSchedule
  /** Limits on the short positions of platforms. If absent, positions are unlimited. */
  readonly positionLimits?: PositionLimits
  /** The path of the rails file. In the sandbox it may contain only chains. */
  readonly railsFile?: string
  /** Address screening, only in production. If absent, every address is clear. */
  readonly screening?: ScreeningConfig
  /** The stablecoin provider. If absent, the sandbox uses its own, and production has no default. */
  readonly brale?: BraleConfig
  /**
   * The UMA providers in the operator's file. If absent, the sandbox uses its own, and production has no
   * default.
   */
  readonly umaProviders?: readonly KnownUmaProvider[]
}

/** A source of exchange rates. */
export interface RatesConfig {
  readonly url: string
  /** The maximum age of usable rates. */
  readonly maxAgeSeconds: number
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const

/** Settings about counts in the database, which apply whichever server receives the call. */
const SHARED = [
  'COUNTERSIGN_FEES',
  'COUNTERSIGN_WIRE_WORD',
  'FX_POSITION_LIMITS',
  'MESSAGES_PER_PLATFORM',
  'MESSAGES_PER_RECIPIENT',
  'RATES_MAX_AGE_SECONDS',
  'REQUESTS_PER_ADDRESS',
  'REQUESTS_PER_PERSON',
  'REQUESTS_PER_TOKEN',
  'SMTP_SENDER_DOMAINS',
]

type Environment = Readonly<Record<string, string | undefined>>

function readAddress(env: Environment): Pick<Config, 'host' | 'port' | 'healthPort'> {
  const PORT_MAX = 65_535
  return {
    host: env.HOST || '127.0.0.1',
    port: readInteger(env, 'PORT', { min: 0, max: PORT_MAX, fallback: 8787 }),
    ...(env.HEALTH_PORT
      ? { healthPort: readInteger(env, 'HEALTH_PORT', { min: 1, max: PORT_MAX, fallback: 1 }) }
      : {}),
  }
}

/** Reads the settings. Throws ConfigError for the first invalid one. */
export function readConfig(env: Environment): Config {
  const mode = readChoice(env, 'COUNTERSIGN_MODE', ['sandbox', 'production'], 'sandbox')
  const masterKey = readMasterKey(env, 'COUNTERSIGN_MASTER_KEY')
  const newMasterKey = readMasterKey(env, 'COUNTERSIGN_NEW_MASTER_KEY')
  if (mode === 'production' && !masterKey)
    throw new ConfigError(
      'COUNTERSIGN_MASTER_KEY is required in production: 32 random bytes as 64 hex digits.',
    )
  const databaseUrl = env.DATABASE_URL || undefined
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl))
    throw new ConfigError(
      'DATABASE_URL must begin with postgres:// (leave it unset for the embedded database).',
    )
  const metricsToken = readMetricsToken(env)
  const smtp = readSmtp(env)
  const sms = readSms(env)
  const verification = readVerification(env)
  return {
    ...readAddress(env),
    connectionsMax: readInteger(env, 'COUNTERSIGN_CONNECTIONS_MAX', {
      min: 1,
      max: 999_999,
      fallback: 4_096,
    }),
    stopping: readStopping(env, mode),
    requestLimits: readRequestLimits(env, mode),
    sharedSettings: Object.fromEntries(SHARED.map((name) => [name, env[name] ?? ''])),
    mode,
    dataDir: resolve(env.COUNTERSIGN_DATA_DIR || '.countersign'),
    ...(databaseUrl ? { databaseUrl } : {}),
    ...readReadUrl(env),
    ...readDatabaseSchema(env),
    preparesStatements: readChoice(env, 'DATABASE_PREPARE', ['on', 'off'], 'on') === 'on',
    ...(masterKey ? { masterKey } : {}),
    ...(newMasterKey ? { newMasterKey } : {}),
    ...readAddresses(env),
    requestLines:
      readChoice(env, 'COUNTERSIGN_REQUEST_LINES', ['on', 'off'], mode === 'sandbox' ? 'on' : 'off') === 'on',
    requestLogDays: readRequestLogDays(env),
    retention: readRetention(env),
    logLevel: readChoice(env, 'LOG_LEVEL', LOG_LEVELS, mode === 'production' ? 'info' : 'warn'),
    ...(metricsToken ? { metricsToken } : {}),
    ...readTracing(env),
    ...(smtp ? { smtp } : {}),
    ...(sms ? { sms } : {}),
    ...readRates(env),
    ...(verification ? { verification } : {}),
    messageRules: readMessageRules(env),
    documents: readDocuments(env),
    fees: readFees(env),
    ...readPositionLimits(env),
    ...readRailsFile(env),
    ...readScreening(env, mode, isSafeUrl),
    ...readInterfaceNames(env),
    ...readUmaProviders(env),
    ...readBrale(env),
  }
}

function readReadUrl({ DATABASE_URL, DATABASE_READ_URL: url }: Environment): Pick<Config, 'databaseReadUrl'> {
  if (!url) return {}
  if (!/^postgres(ql)?:\/\//.test(url)) throw new ConfigError('DATABASE_READ_URL must be a postgres:// URL.')
  if (!DATABASE_URL) throw new ConfigError('DATABASE_READ_URL requires DATABASE_URL.')
  return { databaseReadUrl: url }
}

function readMasterKey(env: Environment, name: string): Uint8Array | undefined {
  const text = env[name]
  if (!text) return undefined
  // The message must not repeat the value, which is a secret.
  if (!/^[0-9a-fA-F]{64}$/.test(text))
    throw new ConfigError(`${name} must be 64 hex digits (32 bytes), as openssl rand -hex 32 prints them.`)
  return Buffer.from(text, 'hex')
}

function readAddresses(env: Environment): Pick<Config, 'publicUrl' | 'otherConsoleUrl' | 'trustedProxies'> {
  const publicUrl = readOrigin(env, 'PUBLIC_URL')
  const otherConsoleUrl = readOrigin(env, 'OTHER_CONSOLE_URL')
  return {
    ...(publicUrl ? { publicUrl } : {}),
    ...(otherConsoleUrl ? { otherConsoleUrl } : {}),
    trustedProxies: readTrustedProxies(env),
  }
}

function readOrigin(env: Environment, name: 'PUBLIC_URL' | 'OTHER_CONSOLE_URL'): string | undefined {
  const value = env[name]
  if (!value) return undefined
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)
    throw new ConfigError(`${name} must be like https://pay.example.com, without a path, not "${value}".`)
  return url.origin
}

function readMetricsToken({ METRICS_TOKEN }: Environment): string | undefined {
  if (!METRICS_TOKEN) return undefined
  // A token as in RFC 6750. The message must not repeat the value, which is a secret.
  if (!/^[A-Za-z0-9\-._~+/]{16,256}=*$/.test(METRICS_TOKEN))
    throw new ConfigError(
      'METRICS_TOKEN must have 16 to 256 characters, and only letters, digits and -._~+/ characters.',
    )
  return METRICS_TOKEN
}

function readMessageRules(env: Environment): MessageRules {
  const senderDomains = parseSenderDomains(env.SMTP_SENDER_DOMAINS || '{}')
  if (!senderDomains)
    throw new ConfigError(
      'SMTP_SENDER_DOMAINS must be a JSON object like {"*": ["mail.example"], "Platform:…": ["shop.example"]} that lists domains.',
    )
  return {
    perRecipient: readMessageLimit(env, 'MESSAGES_PER_RECIPIENT', '20,60'),
    perPlatform: readMessageLimit(env, 'MESSAGES_PER_PLATFORM', '2000,20000'),
    senderDomains,
  }
}

function readMessageLimit(env: Environment, name: string, fallback: string): MessageLimit {
  const text = env[name] || fallback
  const limit = parseMessageLimit(text)
  if (!limit)
    throw new ConfigError(
      `${name} must be two numbers, per hour and per day, like ${fallback}, not "${text}".`,
    )
  return limit
}

function readRailsFile({ RAILS_FILE }: Environment): Pick<Config, 'railsFile'> {
  return RAILS_FILE ? { railsFile: resolve(RAILS_FILE) } : {}
}

const RATES_AGE_SECONDS_DEFAULT = 15 * 60
const RATES_AGE_SECONDS_MAX = 7 * 24 * 60 * 60

function readRates(env: Environment): Pick<Config, 'rates'> {
  const { RATES_URL } = env
  const maxAgeSeconds = readInteger(env, 'RATES_MAX_AGE_SECONDS', {
    min: 1,
    max: RATES_AGE_SECONDS_MAX,
    fallback: RATES_AGE_SECONDS_DEFAULT,
  })
  if (!RATES_URL) return {}
  // The message must not repeat the value, because its query may contain a key.
  if (!isSafeUrl(RATES_URL))
    throw new ConfigError(
      'RATES_URL must begin with https:// (http:// only for this machine) and have no user, password or fragment.',
    )
  return { rates: { url: new URL(RATES_URL).href, maxAgeSeconds } }
}

function readVerification({
  VERIFICATION_URL,
  VERIFICATION_SECRET,
}: Environment): SignedProvider | undefined {
  const verification = parseSignedProvider('VERIFICATION', VERIFICATION_URL, VERIFICATION_SECRET, isSafeUrl)
  if (verification && 'problem' in verification) throw new ConfigError(verification.problem)
  return verification
}

function readDocuments(env: Environment): DocumentsConfig {
  const documents = parseDocuments(env)
  if ('problem' in documents) throw new ConfigError(documents.problem)
  return documents
}

function readFees(env: Environment): FeeSchedule {
  const fees = parseFees(env.COUNTERSIGN_FEES || '[]')
  if ('problem' in fees) throw new ConfigError(`COUNTERSIGN_FEES${fees.problem}.`)
  return fees.schedule
}
