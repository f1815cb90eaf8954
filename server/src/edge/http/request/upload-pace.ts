import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { KIB } from '@countersign/contract/core/endpoint'
import { ApiError } from '../../../kernel/operation/operation.ts'

/** Uploads that are slower than this on average over a window are aborted. */
export const UPLOAD_BYTES_PER_SECOND_MIN = 16 * KIB

/** Watches an incoming body. */
export interface Pace {
  /** Rejects with the refusal of a body that is too slow or too long. */
  readonly refused: Promise<never>
  readonly refusal: ApiError | undefined
  onRefused(listener: (refusal: ApiError) => void): void
  end(): void
}

/**
 * Connections whose request is an upload: its pace determines its timeout, not the timeout of whole requests.
 */
const uploading = new WeakSet<Socket>()

export function isUploading(socket: Socket): boolean {
  return uploading.has(socket)
}

/**
 * Watches the body of an upload. Each window needs `UPLOAD_BYTES_PER_SECOND_MIN` on average, or the rest of
 * the body: a slow line passes, and a stalled caller loses the connection after one window. The whole body
 * may have `bytesMax`.
 */
export function watchPace(
  raw: IncomingMessage,
  { bytesMax, windowMs }: { readonly bytesMax: number; readonly windowMs: number },
): Pace {
  const listeners: ((refusal: ApiError) => void)[] = []
  let refusal: ApiError | undefined
  let reject: (refusal: ApiError) => void = () => {}
  const refused = new Promise<never>((_resolve, no) => {
    reject = no
  })
  // Prevents an unhandled rejection if nobody awaits it.
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
    const needed = (UPLOAD_BYTES_PER_SECOND_MIN * windowMs) / 1000
    if (!raw.complete && bytes - bytesBefore < needed) refuse(new ApiError('REQUEST_TIMEOUT'))
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
