import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { KIB } from '@countersign/contract/core/endpoint'
import { ApiError } from '../../../kernel/operation/operation.ts'

/** The minimum average speed of an upload in each window. Slower uploads are aborted. */
export const UPLOAD_BYTES_PER_SECOND_MIN = 16 * KIB

/** Watches the pace of an incoming body. */
export interface Pace {
  /** Rejects with the error for a body that is too slow or too long. */
  readonly refused: Promise<never>
  readonly refusal: ApiError | undefined
  onRefused(listener: (refusal: ApiError) => void): void
  end(): void
}

/**
 * Connections with an upload in progress. Their timeout depends on the upload's pace, not on the timeout for
 * whole requests.
 */
const uploading = new WeakSet<Socket>()

export function isUploading(socket: Socket): boolean {
  return uploading.has(socket)
}

/**
 * Watches the body of an upload. Every window must bring `UPLOAD_BYTES_PER_SECOND_MIN` on average or complete
 * the body, so a stalled caller is disconnected after one window. The whole body may have at most `bytesMax`
 * bytes.
 */
export function watchPace(
  raw: IncomingMessage,
  { bytesMax, windowMs }: { readonly bytesMax: number; readonly windowMs: number },
): Pace {
  const listeners: ((refusal: ApiError) => void)[] = []
  let refusal: ApiError | undefined
  let reject: (refusal: ApiError) => void = () => {}
  const refused = new Promise<never>((_resolve, rejectPromise) => {
    reject = rejectPromise
  })
  // Prevents an unhandled rejection if nothing awaits the promise.
  refused.catch(() => {})
  const refuse = (error: ApiError) => {
    if (refusal) return
    refusal = error
    reject(error)
    for (const listener of listeners) listener(error)
  }
  let bytes = 0
  let bytesBefore = 0
  const count = (chunk: Uint8Array) => {
    bytes += chunk.length
    if (bytes > bytesMax) refuse(new ApiError('PAYLOAD_TOO_LARGE', { details: { bytesMax } }))
  }
  const window = setInterval(() => {
    const bytesNeeded = (UPLOAD_BYTES_PER_SECOND_MIN * windowMs) / 1000
    if (!raw.complete && bytes - bytesBefore < bytesNeeded) refuse(new ApiError('REQUEST_TIMEOUT'))
    bytesBefore = bytes
  }, windowMs)
  raw.on('data', count)
  uploading.add(raw.socket)
  return {
    refused,
    get refusal() {
      return refusal
    },
    onRefused(listener) {
      if (refusal) listener(refusal)
      else listeners.push(listener)
    },
    end() {
      clearInterval(window)
      raw.off('data', count)
      uploading.delete(raw.socket)
    },
  }
}
