import { randomBytes } from 'node:crypto'
import { GCM_NONCE_BYTES, gcmOpen, gcmSeal } from './aes-gcm.ts'

/** Format 1: version byte ‖ nonce (12 bytes) ‖ AES-256-GCM ciphertext ‖ tag (16 bytes). */
const VERSION = 1
const CIPHERTEXT_START = 1 + GCM_NONCE_BYTES

/**
 * Seals a secret for the database with AES-256-GCM, a 32-byte `key` and a random nonce; the result is 29
 * bytes longer than the plaintext. `associatedData` names the row and column, so that the secret cannot be
 * opened anywhere else; strings are UTF-8. A key may seal 2^32 times. Throws RangeError for a key of another
 * length.
 */
export function sealAtRest(
  key: Uint8Array,
  plaintext: Uint8Array,
  associatedData: string | Uint8Array,
): Uint8Array {
  const nonce = randomBytes(GCM_NONCE_BYTES)
  return Buffer.concat([
    Buffer.of(VERSION),
    nonce,
    gcmSeal(key, nonce, Buffer.from(associatedData), plaintext),
  ])
}

/**
 * Opens the output of `sealAtRest`. Undefined if the bytes were changed, have other `associatedData`, were
 * sealed with another key, or are in an unknown format. Throws RangeError for a key that is not 32 bytes.
 */
export function openAtRest(
  key: Uint8Array,
  sealed: Uint8Array,
  associatedData: string | Uint8Array,
): Uint8Array | undefined {
  if (sealed[0] !== VERSION || sealed.length < CIPHERTEXT_START) return undefined
  const nonce = sealed.subarray(1, CIPHERTEXT_START)
  return gcmOpen(key, nonce, Buffer.from(associatedData), sealed.subarray(CIPHERTEXT_START))
}
