import type { Answer } from '../../http-client/answer.ts'
import type { Get } from '../../http-client/send.ts'
import { textFromUtf8 } from '../encodings.ts'
import { readJsonObject } from '../json-object.ts'
import { Lru } from '../lru.ts'
import { type KeySet, readKeySet } from './jwks.ts'
import { type OidcRefusal, refuse, verifyIdTokenSignature } from './oidc.ts'

export interface KeySourceOptions {
  /**
   * Reaches only the public internet, because anyone with a platform's `MANAGE` permission sets the address.
   */
  readonly get: Get
  /** Real time, as issuers use it. */
  readonly clock: () => Date
  /** For tests: also allows issuers at `http://127.0.0.1`, `http://[::1]` or `http://localhost`. */
  readonly allowHttpLoopback?: boolean
  /** Timeout for both of a fetch's requests together. Default: 5000. */
  readonly timeoutMs?: number
  /** Called for each failed fetch, for the log. */
  readonly onFailure?: (issuer: string, cause: unknown) => void
}

export interface KeySource {
  /**
   * Verifies the signature of a token with the keys that `issuer` publishes; the issuer comes from the
   * configuration (`Identity.issuer`), never from the token. `keysUnavailable` means that no keys could
   * be fetched. Never throws.
   */
  verify(token: string, issuer: string): Promise<{ readonly verified: true } | OidcRefusal>
}

interface Entry {
  readonly issuer: string
  keys: KeySet | undefined
  fetchedAtMs: number
  attemptedAtMs: number | undefined
  /** The fetch in progress, shared by all callers. */
  fetching: Promise<void> | undefined
}

const FRESH_MS = 10 * 60 * 1000
const LAST_KNOWN_GOOD_MS = 24 * 60 * 60 * 1000
const ATTEMPT_EVERY_MS = 60 * 1000
const TIMEOUT_MS = 5000
const ANSWER_BYTES_MAX = 256 * 1024
const ISSUERS_MAX = 1000
const LOOPBACK_HOSTS = ['127.0.0.1', '[::1]', 'localhost']

/**
 * The published keys of OIDC issuers, cached for 10 minutes, and for 24 hours if fetches fail. A fetch is two
 * https requests without redirects, discovery (OIDC Discovery 4: the document must name the exact issuer) and
 * the JWK set, with at most 5 s for both and 256 KiB each. Each issuer is fetched at most once a minute,
 * whatever tokens arrive and whether it responded or not.
 */
export function createKeySource(options: KeySourceOptions): KeySource {
  const entries = new Lru<string, Entry>(ISSUERS_MAX)
  const nowMs = () => options.clock().getTime()

  const entryOf = (issuer: string): Entry => {
    const known = entries.get(issuer)
    if (known !== undefined) return known
    const entry: Entry = {
      issuer,
      keys: undefined,
      fetchedAtMs: 0,
      attemptedAtMs: undefined,
      fetching: undefined,
    }
    entries.set(issuer, entry)
    return entry
  }

  const fetchInto = async (entry: Entry): Promise<void> => {
    try {
      entry.keys = await fetchKeys(entry.issuer, options)
      entry.fetchedAtMs = nowMs()
    } catch (cause) {
      options.onFailure?.(entry.issuer, cause)
    } finally {
      entry.fetching = undefined
    }
  }

  /** Waits for a fetch in progress, or starts one if the minute has passed. */
  const refresh = async (entry: Entry): Promise<void> => {
    // Compares the absolute difference, so that a clock that was set back does not stop fetches until it has
    // caught up.
    const sinceAttempt = Math.abs(nowMs() - (entry.attemptedAtMs ?? Number.NEGATIVE_INFINITY))
    if (entry.fetching === undefined && sinceAttempt >= ATTEMPT_EVERY_MS) {
      entry.attemptedAtMs = nowMs()
      entry.fetching = fetchInto(entry)
    }
    await entry.fetching
  }

  const keysWithin = (entry: Entry, ageMs: number): KeySet | undefined =>
    Math.abs(nowMs() - entry.fetchedAtMs) < ageMs ? entry.keys : undefined

  return {
    async verify(token, issuer) {
      const entry = entryOf(issuer)
      if (keysWithin(entry, FRESH_MS) === undefined) await refresh(entry)
      const keys = keysWithin(entry, LAST_KNOWN_GOOD_MS)
      if (keys === undefined) return refuse('keysUnavailable')
      const result = await verifyIdTokenSignature(token, keys)
      if ('verified' in result || result.failure !== 'unknownKey') return result
      await refresh(entry)
      const newer = keysWithin(entry, LAST_KNOWN_GOOD_MS)
      return newer === undefined || newer === keys ? result : verifyIdTokenSignature(token, newer)
    },
  }
}

/** Throws on any failure. API callers see no details. */
async function fetchKeys(issuer: string, options: KeySourceOptions): Promise<KeySet> {
  const signal = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS)
  const issuerUrl = checkUrl(issuer, options)
  if (issuerUrl.search !== '') throw new Error('an issuer must not have a query')
  const discovery = await fetchJson(
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    signal,
    options,
  )
  if (discovery.issuer !== issuer) throw new Error('the discovery document belongs to another issuer')
  if (typeof discovery.jwks_uri !== 'string') throw new Error('the discovery document has no jwks_uri')
  const keys = readKeySet(await fetchJson(checkUrl(discovery.jwks_uri, options).href, signal, options))
  if (keys === undefined || keys.length === 0) throw new Error('the JWK set has no key to verify with')
  return keys
}

function checkUrl(text: string, { allowHttpLoopback = false }: KeySourceOptions): URL {
  if (!URL.canParse(text)) throw new Error('not a URL')
  const url = new URL(text)
  const isLoopback = url.protocol === 'http:' && LOOPBACK_HOSTS.includes(url.hostname)
  if (url.protocol !== 'https:' && !(allowHttpLoopback && isLoopback)) throw new Error('not an https URL')
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw new Error('a URL with a user, a password or a fragment')
  return url
}

async function fetchJson(
  url: string,
  signal: AbortSignal,
  { get }: KeySourceOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const text = textFromUtf8(wholeBody(await get(url, { signal, bytesMax: ANSWER_BYTES_MAX })))
  const value = text === undefined ? undefined : readJsonObject(text)
  if (value === undefined) throw new Error('the response is not one JSON object')
  return value
}

function wholeBody({ status, body, isWhole }: Answer): Uint8Array {
  if (status !== 200) throw new Error(`status ${status}`)
  if (!isWhole) throw new Error('the response is too long')
  return body
}
