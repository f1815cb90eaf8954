import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { type Bytes, bytesFromText, concatBytes } from './bytes.ts'
import { uncompressedPublicKey } from './p256.ts'

/** `info` of everything that is sealed in this API. */
const INFO = bytesFromText('turnkey_hpke')

const suite = new CipherSuite({
  kem: new DhkemP256HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
})

/**
 * HPKE (RFC 9180), base mode: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM, one message to
 * `recipientPublicKey` (65 bytes). The additional data is `enc ‖ recipientPublicKey`. Gives `enc` (65 bytes) and the
 * ciphertext with its 16-byte tag. Rejects where the key is not a point of the curve.
 */
export async function seal(
  recipientPublicKey: Bytes,
  plaintext: Bytes,
): Promise<{ enc: Bytes; ciphertext: Bytes }> {
  const recipient = await suite.kem.deserializePublicKey(recipientPublicKey)
  // Seals in two steps, not in the library's single one: the additional data contains `enc`, which only the context
  // has.
  const context = await suite.createSenderContext({ recipientPublicKey: recipient, info: INFO })
  const enc = new Uint8Array(context.enc)
  const ciphertext = await context.seal(plaintext, concatBytes(enc, recipientPublicKey))
  return { enc, ciphertext: new Uint8Array(ciphertext) }
}

/**
 * Opens what was sealed to `recipient`, as `seal` seals. `enc` is 65 bytes. Undefined where it was sealed to another
 * key or changed.
 */
export async function open(
  recipient: CryptoKeyPair,
  enc: Bytes,
  ciphertext: Bytes,
): Promise<Bytes | undefined> {
  const aad = concatBytes(enc, await uncompressedPublicKey(recipient))
  try {
    const context = await suite.createRecipientContext({ recipientKey: recipient, enc, info: INFO })
    return new Uint8Array(await context.open(ciphertext, aad))
  } catch {
    return undefined
  }
}
