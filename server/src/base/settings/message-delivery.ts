import { isIP } from 'node:net'
import { ConfigError } from './config-error.ts'
import { isSafeUrl, isThisMachine } from './safe-url.ts'

/** A mail server that relays our mail. */
export interface SmtpConfig {
  readonly host: string
  readonly port: number
  /** TLS from the start, STARTTLS required, STARTTLS if offered, or none. */
  readonly tls: 'implicit' | 'required' | 'offered' | 'never'
  readonly login?: { readonly user: string; readonly password: string }
  /** The default sender of mail, used if the platform has not set one. */
  readonly from: { readonly name?: string; readonly address: string }
}

/** A gateway with Twilio's message API. */
export interface SmsConfig {
  /** Without a trailing slash. */
  readonly url: string
  readonly accountSid: string
  readonly authToken: string
  /** An E.164 phone number, a short code, or the name of a sender. */
  readonly from: string
}

type Environment = Readonly<Record<string, string | undefined>>

const SMTP_FORM = 'SMTP_URL must be like smtps://user:password@host:465 or smtp://user:password@host:587.'
const ADDRESS = /^[^\s@<>"(),:;\\]+@[^\s@<>"(),:;\\]+$/

/**
 * Reads SMTP_URL. Codes sent in clear text could be read by anyone on the network, so a connection to another
 * machine requires TLS unless `?requireTLS=false` is given.
 */
export function readSmtp(env: Environment): SmtpConfig | undefined {
  const { SMTP_URL, SMTP_FROM } = env
  if (!SMTP_URL) return undefined
  // The messages must not repeat the value, which contains a password.
  if (!URL.canParse(SMTP_URL)) throw new ConfigError(SMTP_FORM)
  const { protocol, hostname, port, username, password, pathname, searchParams } = new URL(SMTP_URL)
  const host = hostname.replace(/^\[|\]$/g, '')
  const hasLogin = username !== '' || password !== ''
  if (!/^smtps?:$/.test(protocol) || host === '' || !/^\/?$/.test(pathname)) throw new ConfigError(SMTP_FORM)
  if (hasLogin && (username === '' || password === '')) throw new ConfigError(SMTP_FORM)
  const login = { user: decodePercent(username), password: decodePercent(password) }
  const requireTls = searchParams.get('requireTLS') ?? (isThisMachine(host) ? undefined : 'true')
  if (requireTls !== undefined && requireTls !== 'true' && requireTls !== 'false')
    throw new ConfigError('SMTP_URL: requireTLS must be true or false.')
  const startTls = requireTls === undefined ? 'never' : requireTls === 'true' ? 'required' : 'offered'
  const isImplicit = protocol === 'smtps:'
  return {
    host,
    port: port === '' ? (isImplicit ? 465 : 587) : Number(port),
    tls: isImplicit ? 'implicit' : startTls,
    ...(hasLogin ? { login } : {}),
    from: readSender(SMTP_FROM) ?? {
      address: ADDRESS.test(login.user) ? login.user : `no-reply@${replaceIp(host)}`,
    },
  }
}

/** Parses `address` or `Name <address>`. */
function readSender(text: string | undefined): SmtpConfig['from'] | undefined {
  if (!text) return undefined
  const [, name = '', bracketed] = /^([^<>\p{Cc}]*)<([^<>]*)>$/u.exec(text.trim()) ?? []
  const address = (bracketed ?? text).trim()
  if (!ADDRESS.test(address))
    throw new ConfigError(`SMTP_FROM must be an address, or a name and <address>, not "${text}".`)
  const displayName = name.trim().replace(/^"(.*)"$/, '$1')
  return displayName === '' ? { address } : { name: displayName, address }
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ConfigError(SMTP_FORM)
  }
}

/**
 * Replaces an IP address with localhost: many mail servers reject email addresses whose domain is an IP
 * address.
 */
function replaceIp(host: string): string {
  return isIP(host) === 0 ? host : 'localhost'
}

export function readSms(env: Environment): SmsConfig | undefined {
  const { SMS_URL, SMS_ACCOUNT_SID, SMS_AUTH_TOKEN, SMS_FROM } = env
  if (!SMS_URL && !SMS_ACCOUNT_SID && !SMS_AUTH_TOKEN && !SMS_FROM) return undefined
  const requirement = 'SMS_URL, SMS_ACCOUNT_SID, SMS_AUTH_TOKEN and SMS_FROM must be set together'
  if (!SMS_URL) throw new ConfigError(`SMS_URL is missing: ${requirement}.`)
  if (!SMS_ACCOUNT_SID) throw new ConfigError(`SMS_ACCOUNT_SID is missing: ${requirement}.`)
  if (!SMS_AUTH_TOKEN) throw new ConfigError(`SMS_AUTH_TOKEN is missing: ${requirement}.`)
  if (!SMS_FROM) throw new ConfigError(`SMS_FROM is missing: ${requirement}.`)
  // Credentials in the URL are rejected, because URLs are not treated as secrets.
  if (!isSafeUrl(SMS_URL) || new URL(SMS_URL).search)
    throw new ConfigError(
      'SMS_URL must begin with https:// (http:// only for this machine) and have no user or query.',
    )
  if (!/^\w{1,64}$/.test(SMS_ACCOUNT_SID))
    throw new ConfigError('SMS_ACCOUNT_SID must be letters and digits.')
  return {
    url: new URL(SMS_URL).href.replace(/\/+$/, ''),
    accountSid: SMS_ACCOUNT_SID,
    authToken: SMS_AUTH_TOKEN,
    from: SMS_FROM,
  }
}
