import type { Answer } from '../../http-client/answer.ts'
import type { Get } from '../../http-client/send.ts'
import { textFromUtf8 } from '../encodings.ts'
import { readJsonObject } from '../json-object.ts'
import { Lru } from '../lru.ts'
import { type KeySet, readKeySet } from './jwks.ts'
import { type OidcRefusal, refuse, verifyIdTokenSignature } from './oidc.ts'

export interface KeySourceOptions {
  /**
   * Must reach only the public internet, because anyone with a platform's `MANAGE` permission can set the
   * URL.
   */
  readonly get: Get
  /** Wall-clock time, because issuers use it. */
  readonly clock: () => Date
  /** For tests: also allows issuers at `http://127.0.0.1`, `http://[::1]` and `http://localhost`. */
  readonly allowHttpLoopback?: boolean
  /** The timeout for both requests of a fetch together. Defaults to 5000. */
  readonly timeoutMs?: number
  /** Called after each failed fetch, so that it can be logged. */
  readonly onFailure?: (issuer: string, cause: unknown) => void
}

export interface KeySource {
  /**
   * Verifies the signature of a token with the keys published by `issuer`, which must come from the
   * configuration (`Identity.issuer`) and never from the token. `keysUnavailable` means that the keys could
   * not be fetched. Never throws.
   */
  verify(token: string, issuer: string): Promise<{ readonly verified: true } | OidcRefusal>
}

interface Entry {
  readonly issuer: string
  keys: KeySet | undefined
  fetchedAtMs: number
  attemptedAtMs: number | undefined
  /** The fetch in progress, which all callers share. */
  fetching: Promise<void> | undefined
}

const FRESH_MS = 10 * 60 * 1000
const LAST_KNOWN_GOOD_MS = 24 * 60 * 60 * 1000
const ATTEMPT_EVERY_MS = 60 * 1000
const TIMEOUT_MS = 5000
const RESPONSE_BYTES_MAX = 256 * 1024
const ISSUERS_MAX = 1000
const LOOPBACK_HOSTS = ['127.0.0.1', '[::1]', 'localhost']

/**
 * The published keys of OIDC issuers, cached for 10 minutes, or 24 hours while fetching fails. A fetch
 * consists of two https requests without redirects, for discovery (OIDC Discovery 4: the document must name
 * exactly this issuer) and for the JWK set, with at most 5 s for both and 256 KiB each. An issuer is
 * contacted at most once a minute, whatever tokens arrive and whether it responded or not.
 */
export function createKeySource(options: KeySourceOptions): KeySource {
  const entries = new Lru<string, Entry>(ISSUERS_MAX)
  const nowMs = () => options.clock().getTime()

  const findEntry = (issuer: string): Entry => {
    const existing = entries.get(issuer)
    if (existing !== undefined) return existing
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

  /** Waits for the fetch in progress, or starts one if a minute has passed since the last. */
  const refresh = async (entry: Entry): Promise<void> => {
    // The absolute difference, so that setting back the clock does not stop fetching until the clock has
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
      const entry = findEntry(issuer)
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

/** Throws on any failure, with details that API callers must not see. */
async function fetchKeys(issuer: string, options: KeySourceOptions): Promise<KeySet> {
  const deadlineMs = performance.now() + (options.timeoutMs ?? TIMEOUT_MS)
  const issuerUrl = checkUrl(issuer, options)
  if (issuerUrl.search !== '') throw new Error('the issuer URL must not have a query')
  const discovery = await fetchJson(
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    deadlineMs,
    options,
  )
  if (discovery.issuer !== issuer) throw new Error('the discovery document belongs to another issuer')
  if (typeof discovery.jwks_uri !== 'string') throw new Error('the discovery document has no jwks_uri')
  const keys = readKeySet(await fetchJson(checkUrl(discovery.jwks_uri, options).href, deadlineMs, options))
  if (keys === undefined || keys.length === 0) throw new Error('the JWK set has no usable key')
  return keys
}

function checkUrl(text: string, { allowHttpLoopback = false }: KeySourceOptions): URL {
  if (!URL.canParse(text)) throw new Error('the URL is not valid')
  const url = new URL(text)
  const isLoopback = url.protocol === 'http:' && LOOPBACK_HOSTS.includes(url.hostname)
  if (url.protocol !== 'https:' && !(allowHttpLoopback && isLoopback))
    throw new Error('the URL must use https')
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw new Error('the URL must not have a user, a password or a fragment')
  return url
}

async function fetchJson(
  url: string,
  deadlineMs: number,
  { get }: KeySourceOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const text = textFromUtf8(
    getWholeBody(await get(url, { timeoutMs: deadlineMs - performance.now(), bytesMax: RESPONSE_BYTES_MAX })),
  )
  const value = text === undefined ? undefined : readJsonObject(text)
  if (value === undefined) throw new Error('the response is not a JSON object')
  return value
}

function getWholeBody({ status, body, isComplete }: Answer): Uint8Array {
  if (status !== 200) throw new Error(`status ${status}`)
  if (!isComplete) throw new Error('the response is too long')
  return body
}
