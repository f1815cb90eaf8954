import { Transform } from 'node:stream'
import { toError } from '../formats/thrown-errors.ts'
import { GCM_NONCE_BYTES, GCM_TAG_BYTES, gcmOpen, gcmSeal } from './aes-gcm.ts'

/** Files are sealed in chunks of this many bytes. The last chunk has the rest, which may be empty. */
const CHUNK_BYTES = 64 * 1024
const SEALED_CHUNK_BYTES = CHUNK_BYTES + GCM_TAG_BYTES
/** The version of the format, bound to every chunk. */
const VERSION = 1
/** A nonce consists of zeros, the chunk number (4 bytes), and 1 for the last chunk or 0 for all others. */
const COUNTER_AT = GCM_NONCE_BYTES - 5
const LAST_AT = GCM_NONCE_BYTES - 1
const CHUNKS_MAX = 2 ** 32

/** The bytes cannot be opened: they were changed, truncated or reordered, or belong to another file. */
export class SealedFileError extends Error {}

/** The sealed length of a file with this many bytes. */
export function countSealedBytes(bytes: number): number {
  return bytes + GCM_TAG_BYTES * Math.max(1, Math.ceil(bytes / CHUNK_BYTES))
}

/**
 * Seals a stream with AES-256-GCM, one chunk in memory at a time. `key` has 32 bytes and must seal only this
 * file. `name`, the chunk number and the end of the file are bound to each chunk, so missing, swapped or
 * truncated chunks do not open.
 */
export function sealStream(key: Uint8Array, name: string): Transform {
  const aad = buildAssociatedData(name)
  return inChunks(CHUNK_BYTES, (chunk, counter, isLast) =>
    gcmSeal(key, makeNonce(counter, isLast), aad, chunk),
  )
}

/** The offset in the sealed file of the chunk that contains this byte of the file. */
export function findSealedOffset(byte: number): number {
  return Math.floor(byte / CHUNK_BYTES) * SEALED_CHUNK_BYTES
}

/**
 * Opens the output of `sealStream` from a byte of the file. The input must start at `findSealedOffset` of
 * that byte. Emits SealedFileError at the first chunk that does not open.
 */
export function openStream(key: Uint8Array, name: string, fromByte = 0): Transform {
  const aad = buildAssociatedData(name)
  const first = Math.floor(fromByte / CHUNK_BYTES)
  return inChunks(SEALED_CHUNK_BYTES, (chunk, index, isLast) => {
    const counter = first + index
    const plaintext = gcmOpen(key, makeNonce(counter, isLast), aad, chunk)
    if (!plaintext) throw new SealedFileError(`Chunk ${counter} of ${name} cannot be opened`)
    return index === 0 ? plaintext.subarray(fromByte % CHUNK_BYTES) : plaintext
  })
}

function buildAssociatedData(name: string): Uint8Array {
  return Buffer.from(`file ${VERSION} ${name}`)
}

function makeNonce(counter: number, isLast: boolean): Uint8Array {
  if (counter >= CHUNKS_MAX) throw new RangeError('the file is too long to seal')
  const nonce = Buffer.alloc(GCM_NONCE_BYTES)
  nonce.writeUInt32BE(counter, COUNTER_AT)
  nonce[LAST_AT] = isLast ? 1 : 0
  return nonce
}

/**
 * Splits a stream into chunks of `size` bytes; the last one has the rest. `turn` must not keep a reference to
 * the chunk.
 */
function inChunks(
  size: number,
  turn: (chunk: Uint8Array, counter: number, isLast: boolean) => Uint8Array,
): Transform {
  const chunk = Buffer.allocUnsafe(size)
  let filled = 0
  let counter = 0
  return new Transform({
    transform(data: Buffer, _encoding, done) {
      try {
        for (let at = 0; at < data.length; ) {
          // A full chunk is held back until the next byte arrives: if none does, it is the last chunk.
          if (filled === size) {
            this.push(turn(chunk, counter++, false))
            filled = 0
          }
          const copied = data.copy(chunk, filled, at)
          filled += copied
          at += copied
        }
        done()
      } catch (error) {
        done(toError(error))
      }
    },
    flush(done) {
      try {
        this.push(turn(chunk.subarray(0, filled), counter, true))
        done()
      } catch (error) {
        done(toError(error))
      }
    },
  })
}
