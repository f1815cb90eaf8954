import { createCipheriv, createDecipheriv } from 'node:crypto'

export const GCM_KEY_BYTES = 32
export const GCM_NONCE_BYTES = 12
export const GCM_TAG_BYTES = 16

const CIPHER = 'aes-256-gcm'
// Without this option, createDecipheriv accepts tags of 4 bytes.
const OPTIONS = { authTagLength: GCM_TAG_BYTES } as const

/**
 * AES-256-GCM. Returns ciphertext ‖ tag. The key has 32 bytes, the nonce 12, the tag 16. A nonce must never
 * be used twice with the same key. Throws RangeError for keys or nonces of another length.
 */
export function gcmSeal(
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array,
  plaintext: Uint8Array,
): Uint8Array {
  checkLengths(key, nonce)
  const cipher = createCipheriv(CIPHER, key, nonce, OPTIONS)
  cipher.setAAD(aad)
  const ciphertext = cipher.update(plaintext)
  cipher.final()
  return Buffer.concat([ciphertext, cipher.getAuthTag()])
}

/**
 * Opens the output of `gcmSeal`. Undefined if ciphertext, nonce, AAD or key differ. Throws RangeError like
 * `gcmSeal`, but never because of the ciphertext.
 */
export function gcmOpen(
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array,
  ciphertext: Uint8Array,
): Uint8Array | undefined {
  checkLengths(key, nonce)
  const tagStart = ciphertext.length - GCM_TAG_BYTES
  if (tagStart < 0) return undefined
  const decipher = createDecipheriv(CIPHER, key, nonce, OPTIONS)
  decipher.setAAD(aad)
  decipher.setAuthTag(ciphertext.subarray(tagStart))
  const plaintext = decipher.update(ciphertext.subarray(0, tagStart))
  try {
    decipher.final()
  } catch {
    return undefined
  }
  return plaintext
}

function checkLengths(key: Uint8Array, nonce: Uint8Array): void {
  if (key.length !== GCM_KEY_BYTES)
    throw new RangeError(`an AES-256-GCM key must have ${GCM_KEY_BYTES} bytes`)
  if (nonce.length !== GCM_NONCE_BYTES) throw new RangeError(`a GCM nonce must have ${GCM_NONCE_BYTES} bytes`)
}
