import { isObject } from '@countersign/contract/core/decode'

/** An OAuth client, as it described itself. Its name is unverified. */
export interface OAuthClient {
  readonly name: string
  readonly redirectUris: readonly string[]
}

const REDIRECT_URIS_MAX = 10
const REDIRECT_URI_LENGTH_MAX = 512
const NAME_LENGTH_MAX = 80

/**
 * Schemes not allowed in a redirect URI, because they run scripts or show content chosen by the sender of the
 * link.
 */
const FORBIDDEN_SCHEMES: ReadonlySet<string> = new Set(
  ['javascript', 'data', 'vbscript', 'blob', 'file', 'about', 'ftp', 'ws', 'wss'].map((name) => `${name}:`),
)
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Parses a client registration (RFC 7591). Undefined if it is malformed. */
export function readClient(registration: unknown): OAuthClient | undefined {
  if (!isObject(registration)) return undefined
  const { redirect_uris: uris, client_name: name } = registration
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > REDIRECT_URIS_MAX) return undefined
  const redirectUris = uris.filter(isRedirectUri)
  if (redirectUris.length < uris.length) return undefined
  return { name: typeof name === 'string' ? toPlainName(name) : '', redirectUris }
}

/**
 * Encodes a client's registration in its id. Nothing is stored, so strangers cannot fill the memory with
 * registrations. The id needs no protection, because anyone may register.
 */
export function buildClientId({ name, redirectUris }: OAuthClient): string {
  const text = JSON.stringify({ client_name: name, redirect_uris: redirectUris })
  return Buffer.from(text).toString('base64url')
}

/** Decodes the client from its id. */
export function decodeClient(clientId: string): OAuthClient | undefined {
  try {
    return readClient(JSON.parse(Buffer.from(clientId, 'base64url').toString('utf8')))
  } catch {
    return undefined
  }
}

/**
 * True if the client registered this redirect URI. For programs on the same machine, the port may differ (RFC
 * 8252, 7.3).
 */
export function isRegistered({ redirectUris }: OAuthClient, uri: string): boolean {
  return (
    isRedirectUri(uri) &&
    redirectUris.some((registered) => registered === uri || withoutPort(registered) === withoutPort(uri))
  )
}

function isRedirectUri(uri: unknown): uri is string {
  if (typeof uri !== 'string' || uri.length > REDIRECT_URI_LENGTH_MAX || !URL.canParse(uri)) return false
  const { protocol, hostname, username, password } = new URL(uri)
  if (uri.includes('#') || username !== '' || password !== '' || FORBIDDEN_SCHEMES.has(protocol)) return false
  return protocol !== 'http:' || LOOPBACK.has(hostname)
}

function withoutPort(uri: string): string {
  const url = new URL(uri)
  if (url.protocol === 'http:' && LOOPBACK.has(url.hostname)) url.port = ''
  return url.href
}

/**
 * Makes a client's name safe to show: puts it on one line, removes direction characters, and truncates it.
 */
function toPlainName(name: string): string {
  return [...name.replace(/\p{C}/gu, '').replace(/\s+/g, ' ').trim()].slice(0, NAME_LENGTH_MAX).join('')
}
