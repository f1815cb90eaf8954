import { DEFAULT_SCHEMA } from '../../base/settings/database-schema.ts'
import { buildSessionOptions } from './session.ts'

export type UrlSetting = 'DATABASE_URL' | 'DATABASE_READ_URL'

const ATTRIBUTES = ['any', 'read-write', 'primary'] as const

/**
 * The servers of a `DATABASE_URL`. If it lists several, one is the primary, and a failover changes which one.
 */
export class Hosts {
  readonly #urls: readonly string[]
  /** The address without user name and password. */
  readonly place: string
  /** True if connections to read-only servers are rejected. */
  readonly areWritable: boolean
  readonly schema: string
  #current = 0

  constructor(urls: readonly string[], place: string, areWritable: boolean, schema: string) {
    this.#urls = urls
    this.place = place
    this.areWritable = areWritable
    this.schema = schema
  }

  get count(): number {
    return this.#urls.length
  }

  /** The server to try next, with its number. */
  current(): readonly [number: number, url: string] {
    return [this.#current, this.#urls[this.#current]!]
  }

  /** Moves on to the next server, unless another caller has already moved on from this one. */
  leave(number: number): void {
    if (number === this.#current) this.#current = (number + 1) % this.count
  }
}

/**
 * Parses the `postgres://user:password@host:port,host:port/database?…` URL of a setting. Throws a one-line
 * error that names the setting and never shows the password. A standby's URL may lead to read-only servers.
 */
export function readHosts(
  url: string,
  setting: UrlSetting = 'DATABASE_URL',
  schema: string = DEFAULT_SCHEMA,
): Hosts {
  const parts = /^([a-z][a-z0-9+.-]*:)\/\/((?:[^/?#]*@)?)([^/?#@]*)(.*)$/is.exec(url)
  const [, scheme, login, hosts = '', rest] = parts ?? []
  const [firstHost = '', ...otherHosts] = hosts.split(',')
  if (!parts || !URL.canParse(`${scheme}//${login}${firstHost}${rest}`))
    throw new Error(`${setting} must be an address like postgres://user@host:5432/name.`)
  if (scheme !== 'postgres:' && scheme !== 'postgresql:')
    throw new Error(`${setting} must be a postgres: URL, not a ${scheme} URL.`)
  const address = (host: string) => parseAddress(`${scheme}//${login}${host}${rest}`, host, setting)
  const first = address(firstHost)
  const addresses = [first, ...otherHosts.map(address)]
  const { searchParams, pathname } = first
  const wantedAttribute =
    searchParams.get('target_session_attrs') ??
    (addresses.length > 1 && setting === 'DATABASE_URL' ? 'read-write' : 'any')
  if (!ATTRIBUTES.some((attribute) => attribute === wantedAttribute))
    throw new Error(
      `${setting}: target_session_attrs must be one of ${ATTRIBUTES.join(', ')}, not ${wantedAttribute}: the server must be writable.`,
    )
  const places = addresses.map(
    ({ hostname, port, searchParams }) =>
      `${hostname || searchParams.get('host') || 'localhost'}:${port || '5432'}`,
  )
  const urls = addresses.map((server) => buildConnectionString(server, schema))
  return new Hosts(urls, `${places.join(',')}${pathname}`, wantedAttribute !== 'any', schema)
}

function parseAddress(url: string, host: string, setting: UrlSetting): URL {
  if (URL.canParse(url)) return new URL(url)
  throw new Error(`${setting}: ${host || 'an empty string'} is not a host with a port.`)
}

function buildConnectionString(address: URL, schema: string): string {
  address.searchParams.delete('target_session_attrs')
  return withOptions(address.href, buildSessionOptions(schema))
}

/** Adds session settings to a connection string, each as `-c name=value`. */
export function withOptions(url: string, options: string): string {
  const address = new URL(url)
  const settings = [address.searchParams.get('options'), options]
  address.searchParams.set('options', settings.filter(Boolean).join(' '))
  // URLSearchParams encodes a space as +, which pg reads as a plus sign.
  return address.href.replace(/\?.*$/, (query) => query.replaceAll('+', '%20'))
}
