import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { getOwnValue, present } from '@countersign/contract/core/objects'
import type { Dispatcher } from 'undici'
import { getErrorCode } from '../formats/thrown-errors.ts'
import type { Connection } from './connections.ts'

/** A response with the part of its body that was read. */
export interface Answer {
  readonly status: number
  readonly body: Uint8Array
  /** False if the body is longer than what was read. */
  readonly isComplete: boolean
  /** The `Retry-After` header. */
  readonly retryAfter?: string
  /** True if the connection carries many requests at the same time (HTTP/2). */
  readonly isMultiplexed: boolean
}

/**
 * Thrown if no response was received. `code` is the system's error code, such as ECONNREFUSED, or TIMEOUT or
 * ADDRESS_REFUSED.
 */
export class NoResponse extends Error {
  readonly code: string
  /** True if a reused connection broke before the head of a response. */
  readonly isStaleConnection: boolean
  /**
   * True if the request timed out while other requests used all connections, so the server has not received
   * it.
   */
  readonly isUnsent: boolean
  /** True if the connection carried other requests at the same time. */
  readonly isMultiplexed: boolean

  constructor(code: string, { isStaleConnection = false, isUnsent = false, isMultiplexed = false } = {}) {
    super(code)
    this.code = code
    this.isStaleConnection = isStaleConnection
    this.isUnsent = isUnsent
    this.isMultiplexed = isMultiplexed
  }
}

/**
 * Requests ask for no compression. A response that is compressed anyway is decompressed up to the size limit.
 */
const DECOMPRESSORS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** The server's own codes for errors of the HTTP library. */
const REASONS: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  // A stream of an HTTP/2 connection was reset.
  UND_ERR_INFO: 'ECONNRESET',
  UND_ERR_CONNECT_TIMEOUT: 'TIMEOUT',
  UND_ERR_BODY_TIMEOUT: 'TIMEOUT',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'ECONNRESET',
}

/** Errors of a connection closed by the server. */
const CONNECTION_CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE'])

/**
 * A request that has not started this long after it got a connection is waiting for the server to accept the
 * connection.
 */
const OPENING_MS = 1_000

interface Settling {
  resolve(answer: Answer): void
  reject(error: NoResponse): void
}

/** Reads the response to one request, up to `bytesMax` bytes of its decompressed body. */
export class ResponseReader implements Dispatcher.DispatchHandler {
  readonly #bytesMax: number
  readonly #settling: Settling
  #isSettled = false
  #connection: Connection | undefined
  #connectionMs = Number.POSITIVE_INFINITY
  #controller: Dispatcher.DispatchController | undefined
  #isReused = false
  #status = 0
  #retryAfter: string | undefined
  #unpacker: Transform | undefined
  readonly #chunks: Uint8Array[] = []
  #length = 0

  constructor(bytesMax: number, settling: Settling) {
    this.#bytesMax = bytesMax
    this.#settling = settling
  }

  /** Records the connection that sends the request, which may have to be opened first. */
  assign(connection: Connection): void {
    this.#connection = connection
    this.#connectionMs = performance.now()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    this.#isReused = this.#connection?.isUsed === true
    // It timed out while it waited for a connection.
    if (this.#isSettled) controller.abort(new NoResponse('TIMEOUT'))
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return
    this.#status = status
    const { 'retry-after': retryAfter, 'content-encoding': encoding } = headers
    if (typeof retryAfter === 'string') this.#retryAfter = retryAfter
    const unpacker =
      typeof encoding === 'string' ? getOwnValue(DECOMPRESSORS, encoding.toLowerCase())?.() : undefined
    if (!unpacker) return
    unpacker.on('data', (chunk: Uint8Array) => this.#add(chunk))
    unpacker.on('end', () => this.#finish(true))
    unpacker.on('error', (error) => this.fail(toFailureCode(error)))
    unpacker.on('drain', () => controller.resume())
    this.#unpacker = unpacker
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (!this.#unpacker) this.#add(chunk)
    else if (!this.#unpacker.write(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    if (this.#connection) this.#connection.isUsed = true
    if (this.#unpacker) this.#unpacker.end()
    else this.#finish(true)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(toFailureCode(error))
  }

  /** Ends the request without a response. */
  fail(code: string): void {
    if (this.#isSettled) return
    const isStaleConnection = this.#isReused && this.#status === 0 && CONNECTION_CLOSED.has(code)
    const isOpening = performance.now() - this.#connectionMs < OPENING_MS
    const isUnsent = code === 'TIMEOUT' && !this.#controller && isOpening
    const isMultiplexed = this.#isMultiplexed
    this.#settling.reject(new NoResponse(code, { isStaleConnection, isUnsent, isMultiplexed }))
    this.#settle(false)
  }

  get #isMultiplexed(): boolean {
    return this.#connection?.isMultiplexed === true
  }

  #add(chunk: Uint8Array): void {
    if (this.#isSettled) return
    this.#chunks.push(chunk)
    this.#length += chunk.length
    if (this.#length > this.#bytesMax) this.#finish(false)
  }

  #finish(isComplete: boolean): void {
    if (this.#isSettled) return
    const body = Buffer.concat(this.#chunks).subarray(0, this.#bytesMax)
    this.#settling.resolve({
      status: this.#status,
      body,
      isComplete,
      isMultiplexed: this.#isMultiplexed,
      ...present({ retryAfter: this.#retryAfter }),
    })
    this.#settle(isComplete)
  }

  /** Closes the connection if more of the response may come. */
  #settle(isComplete: boolean): void {
    this.#isSettled = true
    if (isComplete) return
    this.#unpacker?.destroy()
    this.#controller?.abort(new NoResponse('TIMEOUT'))
  }
}

/** Converts an error to the code that says why no response was received. */
export function toFailureCode(error: unknown): string {
  const code = getErrorCode(error) ?? 'FAILED'
  return getOwnValue(REASONS, code) ?? code
}
