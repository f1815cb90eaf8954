import { isObject } from '@countersign/contract/core/decode'

/** A program that signs in, as it described itself. Its name is unverified. */
export interface OAuthClient {
  readonly name: string
  readonly redirectUris: readonly string[]
}

const REDIRECT_URIS_MAX = 10
const REDIRECT_URI_LENGTH_MAX = 512
const NAME_LENGTH_MAX = 80

/** Schemes that no redirect may have: they run scripts, or show content of the link's sender. */
const FORBIDDEN_SCHEMES: ReadonlySet<string> = new Set(
  ['javascript', 'data', 'vbscript', 'blob', 'file', 'about', 'ftp', 'ws', 'wss'].map((name) => `${name}:`),
)
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Reads a registration (RFC 7591). Undefined if it is malformed. */
export function readClient(registration: unknown): OAuthClient | undefined {
  if (!isObject(registration)) return undefined
  const { redirect_uris: uris, client_name: name } = registration
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > REDIRECT_URIS_MAX) return undefined
  const redirectUris = uris.filter(isRedirectUri)
  if (redirectUris.length < uris.length) return undefined
  return { name: typeof name === 'string' ? plainName(name) : '', redirectUris }
}

/**
 * The id of a client is its description. Registrations are not stored, so strangers cannot fill the memory
 * with them. Anyone may register, so an id needs no protection.
 */
export function clientIdOf({ name, redirectUris }: OAuthClient): string {
  const text = JSON.stringify({ client_name: name, redirect_uris: redirectUris })
  return Buffer.from(text).toString('base64url')
}

/** The client with this id. */
export function findClient(clientId: string): OAuthClient | undefined {
  try {
    return readClient(JSON.parse(Buffer.from(clientId, 'base64url').toString('utf8')))
  } catch {
    return undefined
  }
}

/** True if a client registered this address. The port of a program on the same machine may differ (RFC 8252, 7.3). */
export function isRegistered({ redirectUris }: OAuthClient, uri: string): boolean {
  return (
    isRedirectUri(uri) && redirectUris.some((one) => one === uri || withoutPort(one) === withoutPort(uri))
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

/** A name for a page: on one line, without direction characters, and clipped. */
function plainName(name: string): string {
  return [...name.replace(/\p{C}/gu, '').replace(/\s+/g, ' ').trim()].slice(0, NAME_LENGTH_MAX).join('')
}
