import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { memberOf } from '@countersign/contract/core/objects'
import { codeOf } from '../formats/thrown-errors.ts'
import { isRefusedHost, publicLookup } from './addresses.ts'

/** A request to an absolute `http:` or `https:` URL. */
export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | StreamedBody
}

/** A body that is not in memory. The stream is destroyed with the request. */
export interface StreamedBody {
  readonly stream: Readable
  /** The length of all of it. */
  readonly bytes: number
}

export interface Bounds {
  /** Aborts everything: DNS lookup, connection, request, answer. */
  readonly signal: AbortSignal
  /** How many bytes of an answer are read, after decompression. */
  readonly bytesMax: number
  /**
   * `public`: the public internet only, for every address that was given over the API. `any`: also this machine and
   * private networks, for an address from the operator's environment, and for the sandbox's webhooks.
   */
  readonly reach: 'public' | 'any'
  /** How names are looked up where the reach is `public`. */
  readonly lookup?: LookupFunction
  /**
   * Keeps connections open for further requests, to one place that gets many. The other side may close an idle one just as
   * it is used: a request that breaks on such a connection is made once more, so it has to be one that may be repeated.
   */
  readonly keepsOpen?: boolean
}

/** An answer: its status, and the read part of its body. */
export interface Answer {
  readonly status: number
  readonly body: Uint8Array
  /** False where the body is longer than the read part. */
  readonly isWhole: boolean
}

/** An answer whose body is read as it arrives. The caller reads it to its end or destroys it. */
export interface StreamedAnswer {
  readonly status: number
  readonly body: Readable
}

/** Gets a document within fixed bounds. Throws NoAnswer. */
export type Get = (url: string, bounds: Pick<Bounds, 'signal' | 'bytesMax'>) => Promise<Answer>

/** There was no answer. `code` is the system's error code, such as ECONNREFUSED, or TIMEOUT or ADDRESS_REFUSED. */
export class NoAnswer extends Error {
  readonly code: string
  /** Whether it broke on a connection that an earlier request had left open. */
  readonly wasKeptOpen: boolean

  constructor(code: string, wasKeptOpen = false) {
    super(code)
    this.code = code
    this.wasKeptOpen = wasKeptOpen
  }
}

/** Asks for no compression. A compressed answer is still decompressed, up to the limit. */
const UNPACK: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/**
 * The only way out of this server by HTTP. Sends a request over its own connection and returns the answer, whatever its
 * status: a redirect is an answer and is not followed. With the reach `public`, the connection goes to the address that
 * was checked. Throws NoAnswer.
 */
export async function send(outgoing: Outgoing, bounds: Bounds): Promise<Answer> {
  if (!bounds.keepsOpen) return sendOnce(outgoing, bounds)
  try {
    return await sendOnce(outgoing, bounds)
  } catch (error) {
    if (error instanceof NoAnswer && error.wasKeptOpen)
      return sendOnce(outgoing, { ...bounds, keepsOpen: false })
    throw error
  }
}

async function sendOnce(outgoing: Outgoing, bounds: Bounds): Promise<Answer> {
  return exchange(outgoing, bounds, (response, { resolve, fail, settle }) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const finish = (isWhole: boolean) => {
      const read = Buffer.concat(chunks).subarray(0, bounds.bytesMax)
      resolve({ status: response.statusCode ?? 0, body: read, isWhole })
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
 * The same for an answer of any length, which is not decompressed. The signal bounds the time until its head has arrived,
 * `idleMsMax` each pause of its body after that. Throws NoAnswer.
 */
export async function sendForStream(
  outgoing: Outgoing,
  { idleMsMax, ...bounds }: Omit<Bounds, 'bytesMax'> & { readonly idleMsMax: number },
): Promise<StreamedAnswer> {
  return exchange(outgoing, bounds, (response, { resolve, settle, unbind }) => {
    unbind()
    response.setTimeout(idleMsMax, () => response.destroy(new NoAnswer('TIMEOUT')))
    response.once('close', settle)
    resolve({ status: response.statusCode ?? 0, body: response })
  })
}

/** How an exchange ends. */
interface Ending<T> {
  resolve(answer: T): void
  fail(code: string): void
  /** Closes the connection. */
  settle(): void
  /** Stops listening to the signal. */
  unbind(): void
}

const OPEN_MS_MAX = 4_000
const KEPT = { keepAlive: true, maxSockets: 1024, maxFreeSockets: 256, timeout: OPEN_MS_MAX }
const KEPT_OPEN = { http: new HttpAgent(KEPT), https: new HttpsAgent(KEPT) }

/** Sends a request, and gives its answer to `read` as soon as its head has arrived. */
async function exchange<T>(
  { method, url, headers, body }: Outgoing,
  { signal, reach, lookup, keepsOpen }: Omit<Bounds, 'bytesMax'>,
  read: (response: IncomingMessage, ending: Ending<T>) => void,
): Promise<T> {
  if (!URL.canParse(url)) throw new NoAnswer('INVALID_URL')
  const target = new URL(url)
  if (!/^https?:$/.test(target.protocol)) throw new NoAnswer('INVALID_URL')
  if (reach === 'public' && isRefusedHost(target.hostname)) throw new NoAnswer('ADDRESS_REFUSED')
  if (signal.aborted) throw new NoAnswer('TIMEOUT')
  return new Promise((resolve, reject) => {
    const isSecure = target.protocol === 'https:'
    let hasHead = false
    let isRead = false
    const request = (isSecure ? requestHttps : requestHttp)(target, {
      method,
      headers: {
        'Accept-Encoding': 'identity',
        ...headers,
        ...(body ? { 'Content-Length': lengthOf(body) } : {}),
      },
      agent: keepsOpen ? KEPT_OPEN[isSecure ? 'https' : 'http'] : false,
      ...(reach === 'public' ? { lookup: lookup ?? publicLookup() } : {}),
    })
    const unbind = () => signal.removeEventListener('abort', onAbort)
    const settle = () => {
      unbind()
      // A connection that stays open is left alone once its answer is read.
      if (!keepsOpen || !isRead) request.destroy()
    }
    const fail = (code: string) => {
      reject(new NoAnswer(code, request.reusedSocket && !hasHead && code === 'ECONNRESET'))
      settle()
    }
    const onAbort = () => fail('TIMEOUT')
    signal.addEventListener('abort', onAbort)
    request.on('error', (error) => fail(reasonOf(error)))
    const onClose = () => fail('ECONNRESET')
    request.on('close', onClose)
    request.on('response', (response) => {
      hasHead = true
      response.once('end', () => {
        isRead = true
      })
      // From here on the answer itself reports a truncation. A compressed body may end after its connection.
      request.off('close', onClose)
      read(response, { resolve, fail, settle, unbind })
    })
    write(request, body)
  })
}

function lengthOf(body: Uint8Array | StreamedBody): number {
  return 'stream' in body ? body.bytes : body.length
}

function write(request: ClientRequest, body: Outgoing['body']): void {
  if (!body || !('stream' in body)) {
    request.end(body)
    return
  }
  const { stream } = body
  stream.on('error', (error) => request.destroy(error))
  request.on('close', () => stream.destroy())
  stream.pipe(request)
}

/** Gets a JSON document with this reach. */
export function getJsonFrom(reach: Bounds['reach']): Get {
  return (url, bounds) =>
    send({ method: 'GET', url, headers: { Accept: 'application/json' } }, { ...bounds, reach })
}

function unpack(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.toLowerCase() ?? ''
  const unpacker = memberOf(UNPACK, encoding)?.()
  return unpacker ? response.pipe(unpacker) : response
}

/** What kept an answer away. */
function reasonOf(error: unknown): string {
  return codeOf(error) ?? 'FAILED'
}
