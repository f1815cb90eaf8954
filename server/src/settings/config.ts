import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { canonicalUmaAddress, UMA_NAME_CHARACTERS_MAX } from '@countersign/contract/core/formats'
import { isWireWord, WIRE_WORD, WIRE_WORD_IN_WORDS } from '@countersign/contract/core/wire-word'
import { type FeeSchedule, parseFees } from '../pricing/fees.ts'
import { type BraleConfig, readBrale } from './brale.ts'
import { ConfigError } from './config-error.ts'
import { type DocumentsConfig, parseDocuments } from './documents.ts'
import {
  type MessageLimit,
  type MessageRules,
  parseMessageLimit,
  parseSenderDomains,
} from './message-rules.ts'
import { type PositionLimits, readPositionLimits } from './position-limits.ts'
import { readRequestLogDays } from './request-log.ts'
import { isSafeUrl, isThisMachine } from './safe-url.ts'
import { readScreening, type ScreeningConfig } from './screening.ts'
import { parseSignedProvider, type SignedProvider } from './signed-provider.ts'
import { readStopping, type StoppingConfig } from './stopping.ts'
import { type KnownUmaProvider, readUmaProviders } from './uma-providers.ts'

/** Every setting of the process's environment, read once at start. docs/operations.md has the same table. */
export interface Config {
  readonly host: string
  readonly port: number
  readonly mode: 'sandbox' | 'production'
  readonly dataDir: string
  /** PostgreSQL; absent: the embedded database in `dataDir`. */
  readonly databaseUrl?: string
  /** Whether statements at PostgreSQL are prepared. */
  readonly preparesStatements: boolean
  /** The largest number of open connections; a further one is closed. */
  readonly connectionsMax: number
  readonly stopping: StoppingConfig
  /** As they were written: settings that all servers of a database have to agree on. */
  readonly sharedSettings: Readonly<Record<string, string>>
  /** The public origin of this server. Left out: the address where it listens. */
  readonly publicUrl?: string
  /** 32 bytes. Absent in sandbox: made once and kept in `dataDir`. */
  readonly masterKey?: Uint8Array
  /** The new key for `master-key rotate`; 32 bytes. */
  readonly newMasterKey?: Uint8Array
  /** Whether each request is logged to the terminal. */
  readonly requestLines: boolean
  /** For how many days requests are kept; 0: none is. */
  readonly requestLogDays: number
  readonly logLevel: (typeof LOG_LEVELS)[number]
  /** The token for `GET /metrics`. Absent: open to all in sandbox, 404 in production. */
  readonly metricsToken?: string
  /** The mail server. Absent: no e-mail can be sent. */
  readonly smtp?: SmtpConfig
  /** The SMS gateway. Absent: no text message can be sent. */
  readonly sms?: SmsConfig
  /** How many messages platforms may send, and from which domains. */
  readonly messageRules: MessageRules
  /** The source of exchange rates. Absent: the sandbox has its own, production has none. */
  readonly rates?: RatesConfig
  /** The provider that decides about customers. Absent: people decide. */
  readonly verification?: SignedProvider
  readonly documents: DocumentsConfig
  /** The fees of payments, by corridor. */
  readonly fees: FeeSchedule
  /** How far platforms' positions may be short. Absent: as far as they get. */
  readonly positionLimits?: PositionLimits
  /** The file of the rails. That of a sandbox has chains alone. */
  readonly railsFile?: string
  /** Who knows addresses that must not be paid. Production alone; absent: everything is clear there. */
  readonly screening?: ScreeningConfig
  /** The word in the names of the interface that the specification spells with `svc`. */
  readonly wireWord: string
  /** The host of the sandbox's own UMA receivers. */
  readonly sandboxUmaDomain: string
  /** The stablecoin provider. Absent: the sandbox has its own, production none. */
  readonly brale?: BraleConfig
  /** The UMA providers of the operator's file. Absent: the sandbox has some of its own, production none. */
  readonly umaProviders?: readonly KnownUmaProvider[]
}

/** A mail server that relays for us. */
export interface SmtpConfig {
  readonly host: string
  readonly port: number
  /** TLS from the first byte, STARTTLS required, STARTTLS where offered, or none. */
  readonly tls: 'implicit' | 'required' | 'offered' | 'never'
  readonly login?: { readonly user: string; readonly password: string }
  /** The sender of mail where the platform sets none. */
  readonly from: { readonly name?: string; readonly address: string }
}

/** A gateway that speaks the message API of Twilio. */
export interface SmsConfig {
  /** Without a slash at its end. */
  readonly url: string
  readonly accountSid: string
  readonly authToken: string
  /** A phone number in E.164, a short code or a sender's name. */
  readonly from: string
}

/** A source of exchange rates. */
export interface RatesConfig {
  readonly url: string
  /** The largest age of usable rates. */
  readonly maxAgeSeconds: number
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const

/** Fees, positions and limits are counted in the database, by whichever server has the call. */
const SHARED = [
  'COUNTERSIGN_FEES',
  'COUNTERSIGN_WIRE_WORD',
  'FX_POSITION_LIMITS',
  'MESSAGES_PER_PLATFORM',
  'MESSAGES_PER_RECIPIENT',
  'RATES_MAX_AGE_SECONDS',
  'SMTP_SENDER_DOMAINS',
]

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the settings. Throws ConfigError at the first bad one. */
export function readConfig(env: Environment): Config {
  const mode = oneOf(env, 'COUNTERSIGN_MODE', ['sandbox', 'production'], 'sandbox')
  const masterKey = readMasterKey(env, 'COUNTERSIGN_MASTER_KEY')
  const newMasterKey = readMasterKey(env, 'COUNTERSIGN_NEW_MASTER_KEY')
  if (mode === 'production' && !masterKey)
    throw new ConfigError(
      'COUNTERSIGN_MASTER_KEY is required in production: 32 random bytes as 64 hex digits',
    )
  const databaseUrl = env.DATABASE_URL || undefined
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl))
    throw new ConfigError(
      'DATABASE_URL must begin with postgres:// (leave it unset for the embedded database)',
    )
  const metricsToken = readMetricsToken(env)
  const publicUrl = readPublicUrl(env)
  const smtp = readSmtp(env)
  const sms = readSms(env)
  const rates = readRates(env)
  const verification = readVerification(env)
  return {
    host: env.HOST || '127.0.0.1',
    port: readPort(env),
    connectionsMax: readConnectionsMax(env),
    stopping: readStopping(env, mode),
    sharedSettings: Object.fromEntries(SHARED.map((name) => [name, env[name] ?? ''])),
    mode,
    dataDir: resolve(env.COUNTERSIGN_DATA_DIR || '.countersign'),
    ...(databaseUrl ? { databaseUrl } : {}),
    preparesStatements: oneOf(env, 'DATABASE_PREPARE', ['on', 'off'], 'on') === 'on',
    ...(masterKey ? { masterKey } : {}),
    ...(newMasterKey ? { newMasterKey } : {}),
    ...(publicUrl ? { publicUrl } : {}),
    requestLines:
      oneOf(env, 'COUNTERSIGN_REQUEST_LINES', ['on', 'off'], mode === 'sandbox' ? 'on' : 'off') === 'on',
    requestLogDays: readRequestLogDays(env),
    logLevel: oneOf(env, 'LOG_LEVEL', LOG_LEVELS, mode === 'production' ? 'info' : 'warn'),
    ...(metricsToken ? { metricsToken } : {}),
    ...(smtp ? { smtp } : {}),
    ...(sms ? { sms } : {}),
    ...(rates ? { rates } : {}),
    ...(verification ? { verification } : {}),
    messageRules: readMessageRules(env),
    documents: readDocuments(env),
    fees: readFees(env),
    ...readPositionLimits(env),
    ...readRailsFile(env),
    ...readScreening(env, mode, isSafeUrl),
    wireWord: readWireWord(env),
    sandboxUmaDomain: readUmaDomain(env),
    ...readUmaProviders(env),
    ...readBrale(env),
  }
}

function readPort(env: Environment): number {
  const text = env.PORT || '8787'
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65535)
    throw new ConfigError(`PORT must be a number from 0 to 65535, not "${text}"`)
  return port
}

const CONNECTIONS_MAX_DEFAULT = 4_096

function readConnectionsMax({ COUNTERSIGN_CONNECTIONS_MAX }: Environment): number {
  const text = COUNTERSIGN_CONNECTIONS_MAX || String(CONNECTIONS_MAX_DEFAULT)
  const connections = Number(text)
  if (!/^\d{1,6}$/.test(text) || connections < 1)
    throw new ConfigError(`COUNTERSIGN_CONNECTIONS_MAX must be a number from 1 to 999999, not "${text}"`)
  return connections
}

function readMasterKey(env: Environment, name: string): Uint8Array | undefined {
  const text = env[name]
  if (!text) return undefined
  // The value is a secret: the message does not repeat it.
  if (!/^[0-9a-fA-F]{64}$/.test(text))
    throw new ConfigError(`${name} must be 64 hex digits (32 bytes), for example from: openssl rand -hex 32`)
  return Buffer.from(text, 'hex')
}

function readPublicUrl({ PUBLIC_URL }: Environment): string | undefined {
  if (!PUBLIC_URL) return undefined
  const url = URL.canParse(PUBLIC_URL) ? new URL(PUBLIC_URL) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)
    throw new ConfigError(
      `PUBLIC_URL must be like https://pay.example.com, without a path, not "${PUBLIC_URL}"`,
    )
  return url.origin
}

function readMetricsToken({ METRICS_TOKEN }: Environment): string | undefined {
  if (!METRICS_TOKEN) return undefined
  // A token of RFC 6750. The value is a secret: the message does not repeat it.
  if (!/^[A-Za-z0-9\-._~+/]{16,256}=*$/.test(METRICS_TOKEN))
    throw new ConfigError('METRICS_TOKEN must be 16 to 256 letters, digits or any of -._~+/')
  return METRICS_TOKEN
}

function oneOf<const T extends readonly string[]>(
  env: Environment,
  name: string,
  words: T,
  fallback: T[number],
): T[number] {
  const text = env[name]
  if (!text) return fallback
  if (!words.includes(text))
    throw new ConfigError(`${name} must be one of ${words.join(', ')}, not "${text}"`)
  return text
}

const SMTP_FORM = 'SMTP_URL must be like smtps://user:password@host:465 or smtp://user:password@host:587'
const ADDRESS = /^[^\s@<>"(),:;\\]+@[^\s@<>"(),:;\\]+$/

/**
 * Anyone on the network could read a code in clear text, so a connection to another machine requires TLS, unless
 * `?requireTLS=false` is given.
 */
function readSmtp(env: Environment): SmtpConfig | undefined {
  const { SMTP_URL, SMTP_FROM } = env
  if (!SMTP_URL) return undefined
  // The value contains a password: the messages do not repeat it.
  if (!URL.canParse(SMTP_URL)) throw new ConfigError(SMTP_FORM)
  const { protocol, hostname, port, username, password, pathname, searchParams } = new URL(SMTP_URL)
  const host = hostname.replace(/^\[|\]$/g, '')
  const hasLogin = username !== '' || password !== ''
  if (!/^smtps?:$/.test(protocol) || host === '' || !/^\/?$/.test(pathname)) throw new ConfigError(SMTP_FORM)
  if (hasLogin && (username === '' || password === '')) throw new ConfigError(SMTP_FORM)
  const login = { user: percentDecoded(username), password: percentDecoded(password) }
  const requireTls = searchParams.get('requireTLS') ?? (isThisMachine(host) ? undefined : 'true')
  if (requireTls !== undefined && requireTls !== 'true' && requireTls !== 'false')
    throw new ConfigError('SMTP_URL: requireTLS must be true or false')
  const startTls = requireTls === undefined ? 'never' : requireTls === 'true' ? 'required' : 'offered'
  const isImplicit = protocol === 'smtps:'
  return {
    host,
    port: port === '' ? (isImplicit ? 465 : 587) : Number(port),
    tls: isImplicit ? 'implicit' : startTls,
    ...(hasLogin ? { login } : {}),
    from: readSender(SMTP_FROM) ?? {
      address: ADDRESS.test(login.user) ? login.user : `no-reply@${domainOf(host)}`,
    },
  }
}

/** `address`, or `Name <address>`. */
function readSender(text: string | undefined): SmtpConfig['from'] | undefined {
  if (!text) return undefined
  const [, name = '', bracketed] = /^([^<>\p{Cc}]*)<([^<>]*)>$/u.exec(text.trim()) ?? []
  const address = (bracketed ?? text).trim()
  if (!ADDRESS.test(address))
    throw new ConfigError(`SMTP_FROM must be an address, or a name and <address>, not "${text}"`)
  const shown = name.trim().replace(/^"(.*)"$/, '$1')
  return shown === '' ? { address } : { name: shown, address }
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ConfigError(SMTP_FORM)
  }
}

/** Refuses an IP address as the domain of an address: many mail servers refuse that form. */
function domainOf(host: string): string {
  return isIP(host) === 0 ? host : 'localhost'
}

function readSms(env: Environment): SmsConfig | undefined {
  const { SMS_URL, SMS_ACCOUNT_SID, SMS_AUTH_TOKEN, SMS_FROM } = env
  if (!SMS_URL && !SMS_ACCOUNT_SID && !SMS_AUTH_TOKEN && !SMS_FROM) return undefined
  const together = 'SMS_URL, SMS_ACCOUNT_SID, SMS_AUTH_TOKEN and SMS_FROM must be set together'
  if (!SMS_URL) throw new ConfigError(`SMS_URL is missing: ${together}`)
  if (!SMS_ACCOUNT_SID) throw new ConfigError(`SMS_ACCOUNT_SID is missing: ${together}`)
  if (!SMS_AUTH_TOKEN) throw new ConfigError(`SMS_AUTH_TOKEN is missing: ${together}`)
  if (!SMS_FROM) throw new ConfigError(`SMS_FROM is missing: ${together}`)
  // Refuses a login in the address, because addresses are not treated as secrets.
  if (!isSafeUrl(SMS_URL) || new URL(SMS_URL).search)
    throw new ConfigError(
      'SMS_URL must begin with https:// (http:// for this machine alone) and have no user or query',
    )
  if (!/^\w{1,64}$/.test(SMS_ACCOUNT_SID)) throw new ConfigError('SMS_ACCOUNT_SID must be letters and digits')
  return {
    url: new URL(SMS_URL).href.replace(/\/+$/, ''),
    accountSid: SMS_ACCOUNT_SID,
    authToken: SMS_AUTH_TOKEN,
    from: SMS_FROM,
  }
}

function readMessageRules(env: Environment): MessageRules {
  const senderDomains = parseSenderDomains(env.SMTP_SENDER_DOMAINS || '{}')
  if (!senderDomains)
    throw new ConfigError(
      'SMTP_SENDER_DOMAINS must be like {"*": ["mail.example"], "Platform:…": ["shop.example"]}',
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
      `${name} must be two numbers, per hour and per day, like ${fallback}, not "${text}"`,
    )
  return limit
}

function readRailsFile({ RAILS_FILE }: Environment): Pick<Config, 'railsFile'> {
  return RAILS_FILE ? { railsFile: resolve(RAILS_FILE) } : {}
}

const RATES_AGE_SECONDS_DEFAULT = 15 * 60
const RATES_AGE_SECONDS_MAX = 7 * 24 * 60 * 60

function readRates(env: Environment): RatesConfig | undefined {
  const { RATES_URL, RATES_MAX_AGE_SECONDS } = env
  const text = RATES_MAX_AGE_SECONDS || String(RATES_AGE_SECONDS_DEFAULT)
  const maxAgeSeconds = Number(text)
  if (!/^\d{1,6}$/.test(text) || maxAgeSeconds < 1 || maxAgeSeconds > RATES_AGE_SECONDS_MAX)
    throw new ConfigError(
      `RATES_MAX_AGE_SECONDS must be a number from 1 to ${RATES_AGE_SECONDS_MAX}, not "${text}"`,
    )
  if (!RATES_URL) return undefined
  // The query may contain a key of the source: the message does not repeat the value.
  if (!isSafeUrl(RATES_URL))
    throw new ConfigError(
      'RATES_URL must begin with https:// (http:// for this machine alone) and have no user, password or fragment',
    )
  return { url: new URL(RATES_URL).href, maxAgeSeconds }
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
  if ('problem' in fees) throw new ConfigError(`COUNTERSIGN_FEES${fees.problem}`)
  return fees.schedule
}

function readWireWord({ COUNTERSIGN_WIRE_WORD }: Environment): string {
  const word = COUNTERSIGN_WIRE_WORD || WIRE_WORD
  if (!isWireWord(word))
    throw new ConfigError(`COUNTERSIGN_WIRE_WORD must be ${WIRE_WORD_IN_WORDS}, not "${word}"`)
  return word
}

const UMA_DOMAIN_DEFAULT = 'sandbox.uma.test'

function readUmaDomain(env: Environment): string {
  const domain = (env.SANDBOX_UMA_DOMAIN || UMA_DOMAIN_DEFAULT).toLowerCase()
  // Requires the form of an address's domain, so that these addresses are found as they are written.
  if (canonicalUmaAddress(`$${'n'.repeat(UMA_NAME_CHARACTERS_MAX)}@${domain}`) === undefined)
    throw new ConfigError(`SANDBOX_UMA_DOMAIN must be a host name, with an optional port, not "${domain}"`)
  return domain
}
