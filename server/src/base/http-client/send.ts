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

/** A request that is sent only once, because its body may be a stream. */
export interface StreamedOutgoing extends Omit<Outgoing, 'body'> {
  readonly body?: Uint8Array | StreamedBody
}

/** A streamed body. The stream is destroyed when the request ends. */
export interface StreamedBody {
  readonly stream: Readable
  /** The total length in bytes. */
  readonly bytes: number
}

export interface Bounds {
  /** Aborts every phase: DNS lookup, connection, request and response. */
  readonly signal: AbortSignal
  /** The maximum number of bytes of a response to read, counted after decompression. */
  readonly bytesMax: number
  /**
   * `public`: only the public internet. Required for every URL that was set through the API. `any`: also this
   * machine and private networks, for URLs from the operator's environment and for the sandbox's webhooks.
   */
  readonly reach: Reach
  /**
   * True if the request may arrive twice; the default for all methods except POST. Such requests use
   * keep-alive connections. A server may close an idle connection just when it is used, so a request that
   * receives no byte of a response on a reused connection is retried once on a new one. Requests that must
   * not arrive twice always get a new connection.
   */
  readonly isRepeatable?: boolean
  /** The maximum number of open connections to one host. */
  readonly connectionsMax?: number
  /** Requests with the same owner share connections and never wait for requests of other owners. */
  readonly owner?: string
  readonly connections?: Connections
}

/** Enough for fast receivers, and few enough for a small server. */
const CONNECTIONS_MAX = 32

/**
 * For the operator's services that payments depend on: many payments may wait for a slow service at the same
 * time. Every request may arrive twice.
 */
export const PAYMENT_SERVICE = { reach: 'any', isRepeatable: true, connectionsMax: 512 } as const

const OWN_CONNECTIONS = new Connections()

/** A response with the part of its body that was read. */
export interface Answer {
  readonly status: number
  readonly body: Uint8Array
  /** False if the body is longer than what was read. */
  readonly isWhole: boolean
  /** The `Retry-After` header. */
  readonly retryAfter?: string
}

/** A response with a streamed body, which the caller must read to its end or destroy. */
export interface StreamedAnswer {
  readonly status: number
  readonly body: Readable
}

/** Fetches a document, limited in time and size. Throws NoAnswer. */
export type Get = (url: string, bounds: Pick<Bounds, 'signal' | 'bytesMax'>) => Promise<Answer>

/**
 * Thrown if no response was received. `code` is the system's error code, such as ECONNREFUSED, or TIMEOUT or
 * ADDRESS_REFUSED.
 */
export class NoAnswer extends Error {
  readonly code: string
  /** True if a reused connection broke before the first byte of the response. */
  readonly isStaleConnection: boolean

  constructor(code: string, isStaleConnection = false) {
    super(code)
    this.code = code
    this.isStaleConnection = isStaleConnection
  }
}

/**
 * Requests ask for no compression. If a response is compressed anyway, it is decompressed up to the size
 * limit.
 */
const DECOMPRESSORS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/**
 * The server's only HTTP client. Sends a request and returns the response, whatever its status. Does not
 * follow redirects; throws NoAnswer.
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
      const received = Buffer.concat(chunks).subarray(0, bounds.bytesMax)
      const retryAfter = response.headers['retry-after']
      resolve({ status: response.statusCode ?? 0, body: received, isWhole, ...present({ retryAfter }) })
      settle()
    }
    response.on('error', (error) => fail(failureCode(error)))
    const decompressed = decompress(response)
    decompressed.on('error', (error) => fail(failureCode(error)))
    decompressed.on('data', (chunk: Uint8Array) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > bounds.bytesMax) finish(false)
    })
    decompressed.on('end', () => finish(true))
  })
}

/**
 * Sends a request and streams its response, which may have any length and is not decompressed. The signal
 * limits the time until the response headers arrive, and `idleMsMax` limits each pause in the body. Throws
 * NoAnswer.
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

/** Callbacks with which the reader of a response ends the exchange. */
interface ExchangeCallbacks<T> {
  resolve(answer: T): void
  fail(code: string): void
  /** Ends the exchange, and closes the connection unless it can be reused. */
  settle(): void
  /** Stops listening to the signal. */
  unbind(): void
}

/** Errors of a connection closed by the server. */
const CONNECTION_CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE'])

/** Sends a request, and passes the response to `read` as soon as its headers have arrived. */
async function exchange<T>(
  { method, url, headers, body }: StreamedOutgoing,
  bounds: Omit<Bounds, 'bytesMax'>,
  read: (response: IncomingMessage, ending: ExchangeCallbacks<T>) => void,
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
        ...(body ? { 'Content-Length': getLength(body) } : {}),
      },
      agent: isRepeatable ? connections.findPool(toPoolKey(bounds, isSecure)) : false,
      ...(reach === 'public' ? { lookup: connections.lookup } : {}),
    })
    request.on('socket', ({ bytesRead }) => {
      bytesBefore = bytesRead
    })
    const unbind = () => signal.removeEventListener('abort', onAbort)
    const settle = () => {
      unbind()
      // Keep-alive connections stay open once the response has been read.
      if (!isRepeatable || !isRead) request.destroy()
    }
    const fail = (code: string) => {
      const hasResponse = request.socket !== null && request.socket.bytesRead > bytesBefore
      reject(new NoAnswer(code, request.reusedSocket && !hasResponse && CONNECTION_CLOSED.has(code)))
      settle()
    }
    const onAbort = () => fail('TIMEOUT')
    signal.addEventListener('abort', onAbort)
    request.on('error', (error) => fail(failureCode(error)))
    const onClose = () => fail('ECONNRESET')
    request.on('close', onClose)
    request.on('response', (response) => {
      response.once('end', () => {
        isRead = true
      })
      // From here on the response reports truncation itself. The connection may close before a compressed
      // body has been decompressed.
      request.off('close', onClose)
      read(response, { resolve, fail, settle, unbind })
    })
    writeBody(request, body)
  })
}

function toPoolKey(
  { reach, connectionsMax = CONNECTIONS_MAX, owner = '' }: Pick<Bounds, 'reach' | 'connectionsMax' | 'owner'>,
  isSecure: boolean,
): PoolKey {
  return { isSecure, reach, connectionsMax, owner }
}

function getLength(body: Uint8Array | StreamedBody): number {
  return 'stream' in body ? body.bytes : body.length
}

function writeBody(request: ClientRequest, body: StreamedOutgoing['body']): void {
  if (!body || !('stream' in body)) {
    request.end(body)
    return
  }
  const { stream } = body
  stream.on('error', (error) => request.destroy(error))
  request.on('close', () => stream.destroy())
  stream.pipe(request)
}

/** Creates a function that fetches JSON documents with this reach. */
export function getJsonFrom(reach: Reach): Get {
  return (url, bounds) =>
    send({ method: 'GET', url, headers: { Accept: 'application/json' } }, { ...bounds, reach })
}

function decompress(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.toLowerCase() ?? ''
  const decompressor = memberOf(DECOMPRESSORS, encoding)?.()
  return decompressor ? response.pipe(decompressor) : response
}

/** The code for a failure without a response. */
function failureCode(error: unknown): string {
  return codeOf(error) ?? 'FAILED'
}
