import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { KIB } from '@countersign/contract/core/endpoint'
import { ApiError } from '../../../kernel/operation/operation.ts'

/** An upload that brings less than this, averaged over a window, is ended. */
export const UPLOAD_BYTES_PER_SECOND_MIN = 16 * KIB

/** The watch over a body that is arriving. */
export interface Pace {
  /** Rejects with the refusal of a body that is too slow or too long. */
  readonly refused: Promise<never>
  readonly refusal: ApiError | undefined
  onRefused(listener: (refusal: ApiError) => void): void
  end(): void
}

/** Connections whose request is an upload: its pace decides about it, and not the timeout of whole requests. */
const uploading = new WeakSet<Socket>()

export function isUploading(socket: Socket): boolean {
  return uploading.has(socket)
}

/**
 * Watches the body of an upload. In each window it has to bring `UPLOAD_BYTES_PER_SECOND_MIN` on average, or its rest: a
 * slow line passes, and a caller that stalls loses the connection after one window. All of it may have `bytesMax`.
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
  // Somebody may listen later, or nobody.
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
