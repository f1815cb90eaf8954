import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { isRefusedHost } from './addresses.ts'
import { type Answer, NoResponse, ResponseReader, toFailureCode } from './answer.ts'
import { type Connection, Connections, type Reach, type TracedOptions } from './connections.ts'

/** A request to an absolute `http:` or `https:` URL. */
export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** A request sent only once, because its body may be a stream. */
export interface StreamedRequest extends Omit<Outgoing, 'body'> {
  readonly body?: Uint8Array | StreamedBody
}

/** A streamed body. The stream is destroyed with the request. */
export interface StreamedBody {
  readonly stream: Readable
  /** Total length. */
  readonly bytes: number
}

export interface Bounds extends RequestTarget {
  /** The time limit for everything: DNS lookup, connection, request, response. */
  readonly timeoutMs: number
  /** The maximum number of bytes read from a response, after decompression. */
  readonly bytesMax: number
}

/** The hosts that a request may reach, and the connections it may use. */
interface RequestTarget {
  /**
   * `public`: only the public internet, for every URL that was set by the API. `any`: also this machine and
   * private networks, for URLs from the operator's environment, and for the sandbox's webhooks.
   */
  readonly reach: Reach
  /**
   * True if the request may arrive twice; the default for all methods except POST. Such requests share
   * keep-alive connections, and are retried once if a reused connection breaks without a response, because a
   * server may close it just when it is used. Requests that must not arrive twice always get a new
   * connection.
   */
  readonly isRepeatable?: boolean
  /** The maximum number of open connections to one host. */
  readonly connectionsMax?: number
  /** Requests with the same owner share connections and never wait for requests of other owners. */
  readonly owner?: string
  readonly connections?: Connections
}

/** Enough for receivers that respond quickly, and few enough for a small one. */
const CONNECTIONS_MAX = 32

/**
 * For the operator's services that payments wait for: many payments may wait for a slow one at the same time.
 * Each request may arrive twice.
 */
export const PAYMENT_SERVICE = { reach: 'any', isRepeatable: true, connectionsMax: 512 } as const

const OWN_CONNECTIONS = new Connections()

/** A response with a streamed body, which the caller must read to its end or destroy. */
export interface StreamedResponse {
  readonly status: number
  readonly body: Readable
}

/** Fetches a document within fixed limits. Throws NoResponse. */
export type Get = (url: string, bounds: Pick<Bounds, 'timeoutMs' | 'bytesMax'>) => Promise<Answer>

/**
 * The server's only HTTP client. Sends a request and returns the response, whatever its status. Does not
 * follow redirects; throws NoResponse.
 */
export async function send(outgoing: Outgoing, bounds: Bounds): Promise<Answer> {
  const { connections = OWN_CONNECTIONS, isRepeatable = outgoing.method !== 'POST', timeoutMs } = bounds
  const deadlineMs = performance.now() + timeoutMs
  const first = prepare(outgoing, { ...bounds, isRepeatable })
  try {
    return await exchange(first, bounds)
  } catch (error) {
    if (!(error instanceof NoResponse && error.isStaleConnection)) throw error
    // All requests of a broken HTTP/2 connection are retried at the same time, so they share connections
    // again.
    const { isMultiplexed } = error
    if (isMultiplexed) connections.retire(first.dispatcher)
    const again = prepare(outgoing, { ...bounds, isRepeatable: isMultiplexed })
    return await exchange(again, { ...bounds, timeoutMs: deadlineMs - performance.now() })
  }
}

async function exchange(
  { options, dispatcher, close }: PreparedRequest,
  { timeoutMs, bytesMax }: Pick<Bounds, 'timeoutMs' | 'bytesMax'>,
): Promise<Answer> {
  // A signal with a time limit would be a quarter of the cost of a webhook.
  let timer: NodeJS.Timeout | undefined
  return new Promise<Answer>((resolve, reject) => {
    if (timeoutMs <= 0) throw new NoResponse('TIMEOUT')
    const reading = new ResponseReader(bytesMax, { resolve, reject })
    timer = setTimeout(() => reading.fail('TIMEOUT'), timeoutMs)
    const onConnection = (connection: Connection) => reading.assign(connection)
    const traced: TracedOptions = { ...options, onConnection }
    dispatcher.dispatch(traced, reading)
  }).finally(() => {
    clearTimeout(timer)
    close()
  })
}

interface StreamBounds extends RequestTarget {
  readonly signal: AbortSignal
  readonly idleMsMax: number
}

/**
 * Sends a request and streams its response, of any length and not decompressed. The signal limits the time
 * until the response's head has arrived, `idleMsMax` each pause of its body after that. Throws NoResponse.
 */
export async function sendForStream(
  outgoing: StreamedRequest,
  { signal, idleMsMax, ...target }: StreamBounds,
): Promise<StreamedResponse> {
  const { options, dispatcher, close } = prepare(outgoing, target)
  const aborter = new AbortController()
  const onAbort = () => aborter.abort()
  signal.addEventListener('abort', onAbort)
  try {
    const request = { ...options, signal: aborter.signal, bodyTimeout: idleMsMax }
    const { statusCode, body } = await dispatcher.request(request)
    // The error is reported by the stream below.
    body.on('error', () => {})
    const stream = Readable.from(read(body), { objectMode: false })
    stream.once('close', () => {
      body.destroy()
      close()
    })
    return { status: statusCode, body: stream }
  } catch (error) {
    close()
    throw new NoResponse(aborter.signal.aborted ? 'TIMEOUT' : toFailureCode(error))
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** The chunks of a body. Throws NoResponse. */
async function* read(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw new NoResponse(toFailureCode(error))
  }
}

interface PreparedRequest {
  readonly options: Dispatcher.DispatchOptions
  /** The connection, or the pool of connections, for the request. */
  readonly dispatcher: Dispatcher
  close(): void
}

/** Checks a request, and finds a connection for it. Throws NoResponse. */
function prepare(
  { method, url, headers, body }: StreamedRequest,
  requestTarget: RequestTarget,
): PreparedRequest {
  const { reach, isRepeatable = false, connections = OWN_CONNECTIONS } = requestTarget
  if (!URL.canParse(url)) throw new NoResponse('INVALID_URL')
  const target = new URL(url)
  const { protocol, hostname, origin, pathname, search } = target
  if (!/^https?:$/.test(protocol)) throw new NoResponse('INVALID_URL')
  if (reach === 'public' && isRefusedHost(hostname)) throw new NoResponse('ADDRESS_REFUSED')
  const isStream = body !== undefined && 'stream' in body
  const options = {
    origin,
    path: `${pathname}${search}`,
    method,
    headers: {
      'Accept-Encoding': 'identity',
      ...readCredentials(target),
      ...headers,
      ...(isStream ? { 'Content-Length': String(body.bytes) } : {}),
    },
    body: isStream ? body.stream : (body ?? null),
    // Otherwise, the library sends only one POST at a time over an HTTP/2 connection.
    idempotent: isRepeatable,
  }
  const { connectionsMax = CONNECTIONS_MAX, owner = '' } = requestTarget
  if (isRepeatable)
    return { options, dispatcher: connections.findPool({ reach, connectionsMax, owner }), close: () => {} }
  const connection = connections.open(origin, reach)
  return { options, dispatcher: connection, close: () => void connection.destroy() }
}

/** The credentials in a URL as a header. Throws NoResponse. */
function readCredentials({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  try {
    const credentials = [username, password].map(decodeURIComponent).join(':')
    return { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
  } catch {
    throw new NoResponse('INVALID_URL')
  }
}

/** Fetches JSON documents with this reach. */
export function getJsonFrom(reach: Reach): Get {
  return (url, bounds) =>
    send({ method: 'GET', url, headers: { Accept: 'application/json' } }, { ...bounds, reach })
}
