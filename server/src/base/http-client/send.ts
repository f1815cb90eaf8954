import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { memberOf, present } from '@countersign/contract/core/objects'
import { codeOf } from '../formats/thrown-errors.ts'
import { isRefusedHost } from './addresses.ts'
import { Connections, type PoolKey, type Reach } from './connections.ts'

/** A request to an absolute `http:` or `https:` URL. */
export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** A request sent only once, because its body may be a stream. */
export interface StreamedOutgoing extends Omit<Outgoing, 'body'> {
  readonly body?: Uint8Array | StreamedBody
}

/** A streamed body. The stream is destroyed with the request. */
export interface StreamedBody {
  readonly stream: Readable
  /** Total length. */
  readonly bytes: number
}

export interface Bounds {
  /** Aborts everything: DNS lookup, connection, request, response. */
  readonly signal: AbortSignal
  /** The maximum number of bytes read from a response, after decompression. */
  readonly bytesMax: number
  /**
   * `public`: only the public internet, for every URL that was set by the API. `any`: also this machine and
   * private networks, for URLs from the operator's environment, and for the sandbox's webhooks.
   */
  readonly reach: Reach
  /**
   * True if the request may arrive twice; the default except for POST. It then uses keep-alive connections.
   * The other side may close an idle one just as it is used, so a request that gets no byte of a response on
   * such a connection is retried once, on a new connection. Requests that must not arrive twice always get a
   * new connection.
   */
  readonly isRepeatable?: boolean
  /** Limit of open connections to one host. */
  readonly connectionsMax?: number
  /** Requests of one owner share connections, and never wait for another owner's. */
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

/** A response: its status, and the part of its body that was read. */
export interface Answer {
  readonly status: number
  readonly body: Uint8Array
  /** False if the body is longer than the part that was read. */
  readonly isWhole: boolean
  /** The `Retry-After` header. */
  readonly retryAfter?: string
}

/** A response with a streamed body. The caller reads it to its end or destroys it. */
export interface StreamedAnswer {
  readonly status: number
  readonly body: Readable
}

/** Fetches a document within fixed limits. Throws NoAnswer. */
export type Get = (url: string, bounds: Pick<Bounds, 'signal' | 'bytesMax'>) => Promise<Answer>

/**
 * No response was received. `code` is the system's error code, such as ECONNREFUSED, or TIMEOUT or
 * ADDRESS_REFUSED.
 */
export class NoAnswer extends Error {
  readonly code: string
  /** True if a reused connection broke before the first byte of a response. */
  readonly isStaleConnection: boolean

  constructor(code: string, isStaleConnection = false) {
    super(code)
    this.code = code
    this.isStaleConnection = isStaleConnection
  }
}

/**
 * Decompressors. Requests ask for no compression, but a compressed response is still decompressed, up to the
 * limit.
 */
const UNPACK: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/**
 * The only HTTP client of this server. Sends a request and returns the response, whatever its status;
 * redirects are not followed. Throws NoAnswer.
 */
export async function send(outgoing: Outgoing, bounds: Bounds): Promise<Answer> {
  const isRepeatable = bounds.isRepeatable ?? outgoing.method !== 'POST'
  try {
    return await sendOnce(outgoing, { ...bounds, isRepeatable })
  } catch (error) {
    if (error instanceof NoAnswer && error.isStaleConnection)
      return sendOnce(outgoing, { ...bounds, isRepeatable: false })
    throw error
  }
}

async function sendOnce(outgoing: Outgoing, bounds: Bounds): Promise<Answer> {
  return exchange(outgoing, bounds, (response, { resolve, fail, settle }) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const finish = (isWhole: boolean) => {
      const read = Buffer.concat(chunks).subarray(0, bounds.bytesMax)
      const retryAfter = response.headers['retry-after']
      resolve({ status: response.statusCode ?? 0, body: read, isWhole, ...present({ retryAfter }) })
      settle()
    }
    response.on('error', (error) => fail(reasonOf(error)))
    const unpacked = unpack(response)
    unpacked.on('error', (error) => fail(reasonOf(error)))
    unpacked.on('data', (chunk: Uint8Array) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > bounds.bytesMax) finish(false)
    })
    unpacked.on('end', () => finish(true))
  })
}

/**
 * Sends a request and streams its response, of any length and not decompressed. The signal limits the time
 * until the response's head has arrived, `idleMsMax` each pause of its body after that. Throws NoAnswer.
 */
export async function sendForStream(
  outgoing: StreamedOutgoing,
  { idleMsMax, ...bounds }: Omit<Bounds, 'bytesMax'> & { readonly idleMsMax: number },
): Promise<StreamedAnswer> {
  return exchange(outgoing, bounds, (response, { resolve, settle, unbind }) => {
    unbind()
    response.setTimeout(idleMsMax, () => response.destroy(new NoAnswer('TIMEOUT')))
    response.once('close', settle)
    resolve({ status: response.statusCode ?? 0, body: response })
  })
}

/** Callbacks for the end of an exchange. */
interface Ending<T> {
  resolve(answer: T): void
  fail(code: string): void
  /** Closes the connection. */
  settle(): void
  /** Stops listening to the signal. */
  unbind(): void
}

/** Errors of a connection that the other side has closed. */
const CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE'])

/** Sends a request, and passes its response to `read` as soon as its head has arrived. */
async function exchange<T>(
  { method, url, headers, body }: StreamedOutgoing,
  bounds: Omit<Bounds, 'bytesMax'>,
  read: (response: IncomingMessage, ending: Ending<T>) => void,
): Promise<T> {
  const { signal, reach, isRepeatable = false, connections = OWN_CONNECTIONS } = bounds
  if (!URL.canParse(url)) throw new NoAnswer('INVALID_URL')
  const target = new URL(url)
  if (!/^https?:$/.test(target.protocol)) throw new NoAnswer('INVALID_URL')
  if (reach === 'public' && isRefusedHost(target.hostname)) throw new NoAnswer('ADDRESS_REFUSED')
  if (signal.aborted) throw new NoAnswer('TIMEOUT')
  return new Promise((resolve, reject) => {
    const isSecure = target.protocol === 'https:'
    let isRead = false
    let bytesBefore = 0
    const request = (isSecure ? requestHttps : requestHttp)(target, {
      method,
      headers: {
        'Accept-Encoding': 'identity',
        ...headers,
        ...(body ? { 'Content-Length': lengthOf(body) } : {}),
      },
      agent: isRepeatable ? connections.findPool(poolKey(bounds, isSecure)) : false,
      ...(reach === 'public' ? { lookup: connections.lookup } : {}),
    })
    request.on('socket', ({ bytesRead }) => {
      bytesBefore = bytesRead
    })
    const unbind = () => signal.removeEventListener('abort', onAbort)
    const settle = () => {
      unbind()
      // A keep-alive connection stays open once its response is read.
      if (!isRepeatable || !isRead) request.destroy()
    }
    const fail = (code: string) => {
      const hasResponse = request.socket !== null && request.socket.bytesRead > bytesBefore
      reject(new NoAnswer(code, request.reusedSocket && !hasResponse && CLOSED.has(code)))
      settle()
    }
    const onAbort = () => fail('TIMEOUT')
    signal.addEventListener('abort', onAbort)
    request.on('error', (error) => fail(reasonOf(error)))
    const onClose = () => fail('ECONNRESET')
    request.on('close', onClose)
    request.on('response', (response) => {
      response.once('end', () => {
        isRead = true
      })
      // From here on the response itself reports a truncation. A compressed body may end after its
      // connection.
      request.off('close', onClose)
      read(response, { resolve, fail, settle, unbind })
    })
    write(request, body)
  })
}

function poolKey(
  { reach, connectionsMax = CONNECTIONS_MAX, owner = '' }: Pick<Bounds, 'reach' | 'connectionsMax' | 'owner'>,
  isSecure: boolean,
): PoolKey {
  return { isSecure, reach, connectionsMax, owner }
}

function lengthOf(body: Uint8Array | StreamedBody): number {
  return 'stream' in body ? body.bytes : body.length
}

function write(request: ClientRequest, body: StreamedOutgoing['body']): void {
  if (!body || !('stream' in body)) {
    request.end(body)
    return
  }
  const { stream } = body
  stream.on('error', (error) => request.destroy(error))
  request.on('close', () => stream.destroy())
  stream.pipe(request)
}

/** Fetches JSON documents with this reach. */
export function getJsonFrom(reach: Reach): Get {
  return (url, bounds) =>
    send({ method: 'GET', url, headers: { Accept: 'application/json' } }, { ...bounds, reach })
}

function unpack(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.toLowerCase() ?? ''
  const unpacker = memberOf(UNPACK, encoding)?.()
  return unpacker ? response.pipe(unpacker) : response
}

/** The reason why no response was received. */
function reasonOf(error: unknown): string {
  return codeOf(error) ?? 'FAILED'
}
