import { createHmac } from 'node:crypto'

const HASH_BYTES = 32
const OUTPUT_BYTES_MAX = 255 * HASH_BYTES

/** HKDF-Extract with SHA-256 (RFC 5869 section 2.2): the HMAC of `inputKey` with the key `salt`, 32 bytes. */
export function hkdfExtract(salt: Uint8Array, ...inputKey: readonly Uint8Array[]): Uint8Array {
  return hmac(salt, inputKey)
}

/**
 * HKDF-Expand with SHA-256 (RFC 5869 section 2.3) to `length` bytes. The parts of `info` are concatenated.
 * Throws RangeError beyond 255 blocks of 32 bytes.
 */
export function hkdfExpand(key: Uint8Array, length: number, ...info: readonly Uint8Array[]): Uint8Array {
  if (length > OUTPUT_BYTES_MAX) throw new RangeError(`HKDF-SHA256 returns at most ${OUTPUT_BYTES_MAX} bytes`)
  const blocks: Uint8Array[] = []
  let block: Uint8Array = new Uint8Array(0)
  for (let counter = 1; blocks.length * HASH_BYTES < length; counter += 1) {
    block = hmac(key, [block, ...info, Uint8Array.of(counter)])
    blocks.push(block)
  }
  return Buffer.concat(blocks, length)
}

function hmac(key: Uint8Array, parts: readonly Uint8Array[]): Uint8Array {
  const mac = createHmac('sha256', key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}
