import { randomBytes } from 'node:crypto'
import { GCM_NONCE_BYTES, gcmOpen, gcmSeal } from './aes-gcm.ts'

/** Layout 1: version byte ‖ nonce 12 ‖ AES-256-GCM ciphertext ‖ tag 16. */
const VERSION = 1
const CIPHERTEXT_START = 1 + GCM_NONCE_BYTES

/**
 * Seals a secret for the database: AES-256-GCM under `key` (32 bytes) with a random nonce, 29 bytes longer
 * than the plaintext. `associatedData` names the row and column, so that the secret opens nowhere else;
 * strings are UTF-8. One key may seal 2^32 times. Throws RangeError for a key of another length.
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
 * Opens the output of `sealAtRest`; undefined if the bytes were changed, belong to other `associatedData`,
 * were sealed with another key or have an unknown layout. Throws RangeError for a key that is not 32 bytes.
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
