import { pointFromHex } from '../crypto/p256.ts'
import { DETAIL_SHAPE } from '../generated/calls.ts'
import { createWireSpelling, type WireSpelling } from '../generated/wire-word.ts'
import { decode } from '../json/decode.ts'
import { isObject, parseJson, toJson } from '../json/json.ts'
import { wait } from '../time/wait.ts'
import type { Answer, AnyInput, Arguments, Caller, EndpointName } from './calls.ts'
import { Authorization, type ClientCredentials } from './credentials.ts'
import { type Endpoint, getEndpoint } from './endpoints.ts'
import { ConnectionError, CountersignError } from './errors.ts'
import { readChunks, readServerMessages } from './event-stream.ts'
import { newIdempotencyKey, type Random, systemRandom } from './idempotency-key.ts'
import { buildForm, computeUploadTimeMs, requireFileInput } from './upload-form.ts'

export interface ClientOptions extends ClientCredentials {
  /**
   * The server's address with the API version and no trailing slash, such as
   * `http://127.0.0.1:8787/2025-10-13`.
   */
  readonly baseUrl: string
  /**
   * Timeout of each attempt in milliseconds. Default: 30 000. Uploads get more time, depending on the file
   * size.
   */
  readonly timeoutMs?: number
  /** Maximum number of attempts for calls that are safe to retry. Default: 4. */
  readonly triesMax?: number
  readonly fetch?: typeof globalThis.fetch
  /** Replaces the pause between attempts. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Source of random bytes, for idempotency keys and retry jitter. */
  readonly random?: Random
  /**
   * The server's `COUNTERSIGN_WIRE_WORD`, if it is not `svc`. It affects only the wire format: the app always
   * sees the names in this library's types.
   */
  readonly wireWord?: string
}

const TIMEOUT_MS = 30_000
const TRIES_MAX = 4
const BACKOFF_MS = 200
const BACKOFF_MS_MAX = 5_000
/**
 * The longest `Retry-After` that the client waits for. A longer one rejects the call instead of blocking
 * silently.
 */
const RETRY_AFTER_SECONDS_MAX = 10
/**
 * A stream that sends nothing for this long is considered broken. The server sends a comment every 15
 * seconds.
 */
const STALL_MS = 40_000
const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 503])

/** Options that select the events of a stream. */
export interface EventsInput {
  readonly after?: string | undefined
  readonly types?: readonly string[] | undefined
  readonly latestOnly?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** A message of the event stream: the id to resume after, and usually an event. */
export interface EventMessage {
  readonly id: string | undefined
  readonly event: unknown
}

/**
 * Calls the API with a platform's credentials (specification 5.1), with an agent's (5.2), or through a
 * backend that adds them.
 */
export class Client implements Caller {
  readonly #baseUrl: string
  readonly #authorization: Authorization
  readonly #timeoutMs: number
  readonly #triesMax: number
  readonly #fetch: typeof globalThis.fetch
  readonly #sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly #random: Random
  readonly #wire: WireSpelling
  #quorumPublicKey: Promise<string> | undefined

  constructor(options: ClientOptions) {
    this.#baseUrl = checkBaseUrl(options.baseUrl)
    this.#authorization = new Authorization(options)
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS
    this.#triesMax = options.triesMax ?? TRIES_MAX
    this.#fetch = options.fetch ?? ((...args) => globalThis.fetch(...args))
    this.#sleep = options.sleep ?? wait
    this.#random = options.random ?? systemRandom
    this.#wire = createWireSpelling(options.wireWord)
  }

  /**
   * Calls an endpoint by its name in the contract: `call('quote_get', { params: { quoteId } })`. Resolves to
   * the success response; rejects with CountersignError for an error response, and with ConnectionError if
   * there is no response.
   *
   * GET calls and calls with an `Idempotency-Key` are retried after a lost connection, 429 and 503. All
   * attempts use the same key, so the call is executed at most once.
   */
  async call<N extends EndpointName>(...[name, input]: Arguments<N>): Promise<Answer<N>> {
    const endpoint = getEndpoint(name)
    const response = await this.#authorization.send((authorization) =>
      this.#send(endpoint, input ?? {}, authorization),
    )
    return response as Answer<N>
  }

  /**
   * Returns the enclave's public key, 130 hex characters, from the server's `/.well-known/countersign.json`.
   * Fetched once and cached.
   */
  async quorumPublicKey(): Promise<string> {
    this.#quorumPublicKey ??= this.#fetchQuorumPublicKey().catch((error: unknown) => {
      this.#quorumPublicKey = undefined
      throw error
    })
    return this.#quorumPublicKey
  }

  async #fetchQuorumPublicKey(): Promise<string> {
    const url = new URL('/.well-known/countersign.json', this.#baseUrl).href
    return this.#withRetries(this.#triesMax, undefined, async () => {
      const { response, text } = await this.#exchange(url, { method: 'GET' }, undefined)
      const { enclaveQuorumPublic: key } = toRecord(tryParseJson(text))
      if (!response.ok || typeof key !== 'string' || !pointFromHex(key)) throw toError(response, undefined)
      return key
    })
  }

  async #send(endpoint: Endpoint, input: AnyInput, authorization: string | undefined) {
    const url = this.#baseUrl + buildPath(endpoint, { ...input.params }) + buildQuery({ ...input.query })
    const idempotencyKey = endpoint.isIdempotent
      ? (input.idempotencyKey ?? newIdempotencyKey(this.#random))
      : undefined
    const headers = new Headers({ Accept: buildAcceptHeader(endpoint) })
    if (authorization !== undefined) headers.set('Authorization', authorization)
    if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey)
    if (input.signature !== undefined) headers.set(this.#wire.walletSignatureHeader, input.signature)
    if (input.requestId !== undefined) headers.set('Request-Id', input.requestId)
    const { body } = input
    const upload = endpoint.isUpload ? requireFileInput(body) : undefined
    // For a form, `fetch` sets the content type, which includes the boundary it has chosen.
    if (body !== undefined && !upload) headers.set('Content-Type', 'application/json')
    const init = {
      method: endpoint.method,
      headers,
      ...(body === undefined ? {} : { body: upload ? buildForm(upload) : toJson(body) }),
    }
    const { timeoutMs: ownMs = this.#timeoutMs } = input
    const timeoutMs = ownMs + (upload ? computeUploadTimeMs(upload) : 0)
    const triesMax = endpoint.method === 'GET' || idempotencyKey !== undefined ? this.#triesMax : 1
    return this.#withRetries(triesMax, input.signal, async (tries) => {
      if (input.sandboxFault !== undefined && tries === 1)
        headers.set(this.#wire.sandboxFaultHeader, input.sandboxFault)
      else headers.delete(this.#wire.sandboxFaultHeader)
      const { response, text } = await this.#exchange(url, init, idempotencyKey, input.signal, timeoutMs)
      return readResponse(endpoint, response, text, this.#wire)
    })
  }

  /**
   * Opens the event stream (`event_stream`) and returns its messages: the id to resume after, and usually an
   * event. Rejects like `call`; the iteration ends when the server closes the stream, and throws
   * ConnectionError if the stream breaks or stalls. `followEvents` also reconnects.
   */
  async openEvents(options: EventsInput): Promise<AsyncGenerator<EventMessage, void, undefined>> {
    const { after, types, latestOnly, signal } = options
    const endpoint = getEndpoint('event_stream')
    const url = this.#baseUrl + endpoint.path + buildQuery({ after, types, latestOnly })
    const ending = new AbortController()
    const abortSignal = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal
    const response = await this.#authorization.send(async (authorization) => {
      const headers = new Headers({ Accept: buildAcceptHeader(endpoint) })
      if (authorization !== undefined) headers.set('Authorization', authorization)
      const timer = setTimeout(() => ending.abort(), this.#timeoutMs)
      try {
        const eventResponse = await this.#fetch(url, { headers, signal: abortSignal })
        if (!hasTextBody(endpoint, eventResponse))
          throw toError(eventResponse, tryParseJson(await eventResponse.text()))
        return eventResponse
      } catch (cause) {
        throw cause instanceof CountersignError ? cause : toStreamError(url, cause, ending.signal, signal)
      } finally {
        clearTimeout(timer)
      }
    })
    return this.#readMessages(url, response, ending, signal)
  }

  async *#readMessages(
    url: string,
    { body }: Response,
    ending: AbortController,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<EventMessage, void, undefined> {
    if (!body) return
    try {
      for await (const { id, data } of readServerMessages(readChunks(body, STALL_MS, () => ending.abort())))
        yield { id, event: data === undefined ? undefined : this.#wire.inward(parseJson(data)) }
    } catch (cause) {
      throw toStreamError(url, cause, ending.signal, signal)
    } finally {
      ending.abort()
    }
  }

  async #withRetries<T>(
    triesMax: number,
    signal: AbortSignal | undefined,
    attempt: (tries: number) => Promise<T>,
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(tries)
      } catch (error) {
        if (tries >= triesMax || !isRetryable(error)) throw error
        await this.#sleep(this.#computePauseMs(error, tries), signal)
      }
    }
  }

  async #exchange(
    url: string,
    init: RequestInit,
    idempotencyKey: string | undefined,
    outer?: AbortSignal,
    timeoutMs = this.#timeoutMs,
  ) {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const signal = outer ? AbortSignal.any([outer, timeout]) : timeout
      const response = await this.#fetch(url, { ...init, signal })
      return { response, text: await response.text() }
    } catch (cause) {
      outer?.throwIfAborted()
      const isTimeout = timeout.aborted
      const { host } = new URL(url)
      const message = isTimeout
        ? `${host} did not respond within ${timeoutMs} ms.`
        : `${host} cannot be reached: ${getReason(cause)}.`
      throw new ConnectionError(message, { cause, isTimeout, idempotencyKey })
    }
  }

  /** Exponential backoff with up to 50 % jitter, so that clients do not retry in lockstep. */
  #computePauseMs(error: unknown, tries: number): number {
    const retryAfterSeconds = error instanceof CountersignError ? error.retryAfterSeconds : undefined
    if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1000
    const msMax = Math.min(BACKOFF_MS * 2 ** (tries - 1), BACKOFF_MS_MAX)
    const [byte = 0] = this.#random(new Uint8Array(1))
    return Math.round((msMax * (256 + byte)) / 512)
  }
}

/** Checked at run time, because JavaScript programs and unset environment variables can pass undefined. */
function checkBaseUrl(baseUrl: unknown): string {
  const expected = 'the address of the server with the version, like http://127.0.0.1:8787/2025-10-13'
  if (baseUrl === undefined || baseUrl === null || baseUrl === '')
    throw new TypeError(`baseUrl is missing. It must be ${expected}.`)
  if (typeof baseUrl !== 'string' || !/^https?:\/\/./.test(baseUrl) || !URL.canParse(baseUrl))
    throw new TypeError(`baseUrl must be ${expected}, not "${baseUrl}".`)
  return baseUrl.replace(/\/+$/, '')
}

/**
 * Creates the error for a broken stream. If the caller's own signal was aborted, throws its reason instead.
 */
function toStreamError(
  url: string,
  cause: unknown,
  ending: AbortSignal,
  signal: AbortSignal | undefined,
): ConnectionError {
  signal?.throwIfAborted()
  const { host } = new URL(url)
  const message = ending.aborted
    ? `${host} has stopped sending data.`
    : `The stream from ${host} broke: ${getReason(cause)}.`
  return new ConnectionError(message, { cause, isTimeout: ending.aborted, idempotencyKey: undefined })
}

function buildPath(endpoint: Endpoint, params: Readonly<Record<string, unknown>>): string {
  return endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (params[name] === undefined || params[name] === null)
      throw new TypeError(`${endpoint.name} requires params.${name}.`)
    const value = String(params[name])
    // An empty segment or one of dots would be normalized away and change the path.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`params.${name} is not an id: "${value}".`)
    // Colons in ids stay unescaped: they are legal in a path, and the signed payload contains the path that
    // way.
    return encodeURIComponent(value).replaceAll('%3A', ':')
  })
}

function buildQuery(query: Readonly<Record<string, unknown>>): string {
  const present = Object.entries(query).filter(([, value]) => value !== undefined)
  // A list is sent by repeating the parameter.
  const members = present.flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item) => [name, String(item)]),
  )
  return members.length === 0 ? '' : `?${new URLSearchParams(members)}`
}

/** JSON, and the endpoint's other media types. */
function buildAcceptHeader({ textTypes: texts }: Endpoint): string {
  return ['application/json', ...texts].join(', ')
}

/** True if the response has one of the endpoint's other media types. */
function hasTextBody({ textTypes: texts }: Endpoint, { status, headers }: Response): boolean {
  const type = headers.get('Content-Type')?.split(';', 1)[0] ?? ''
  return status === 200 && texts.includes(type)
}

function readResponse(endpoint: Endpoint, response: Response, text: string, wire: WireSpelling): unknown {
  const { status, headers } = response
  const isReplayed = headers.get('Idempotency-Replayed') === 'true'
  if (hasTextBody(endpoint, response)) return { status, body: text, isReplayed }
  const parsed = tryParseJson(text)
  const declared = endpoint.responses.get(status)
  if (!declared) throw toError(response, parsed)
  const needsBody = declared.hasBody || (endpoint.textTypes.length > 0 && status === 200)
  if (needsBody && parsed === undefined) throw toError(response, undefined)
  return {
    status,
    body: declared.hasBody ? decode(declared.shape, wire.inward(parsed)) : undefined,
    isReplayed,
  }
}

function toError({ status, headers }: Response, parsed: unknown): CountersignError {
  const body = toRecord(parsed)
  const retryAfter = headers.get('Retry-After')
  return new CountersignError({
    status,
    code: toStringOr(body.code, 'UNREADABLE_ANSWER'),
    message: toStringOr(body.message, `The response with status ${status} is not from this API.`),
    docUrl: toStringOr(body.docUrl, undefined),
    reason: toStringOr(body.reason, undefined),
    details: isObject(body.details) ? { ...toRecord(decode(DETAIL_SHAPE, body.details)) } : undefined,
    httpRequestId: headers.get('X-Request-Id') ?? undefined,
    isCredentials: headers.has('WWW-Authenticate') || /credentials$/.test(toStringOr(body.reason, '')),
    retryAfterSeconds: retryAfter !== null && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined,
  })
}

function toRecord(parsed: unknown): Readonly<Record<string, unknown>> {
  return isObject(parsed) ? parsed : {}
}

function tryParseJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

function toStringOr<T>(value: unknown, fallback: T): string | T {
  return typeof value === 'string' ? value : fallback
}

function isRetryable(error: unknown): boolean {
  if (error instanceof ConnectionError) return true
  if (!(error instanceof CountersignError) || !RETRIED_STATUSES.has(error.status)) return false
  return (error.retryAfterSeconds ?? 0) <= RETRY_AFTER_SECONDS_MAX
}

/** The message `fetch failed` is not helpful, so the message of its cause is preferred. */
function getReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  return cause.message || ('code' in cause ? String(cause.code) : error.message)
}
