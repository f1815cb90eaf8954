import { type Bytes, bytesFromText, concatBytes } from './bytes.ts'
import { exportPublicKey } from './p256.ts'
import { getWebCrypto } from './port.ts'

/**
 * HPKE (RFC 9180) for one message, base mode: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM. Because
 * the suite is fixed, a few Web Crypto calls suffice, and any `CryptoPort` works. Tests compare it with an
 * independent implementation in both directions.
 */

/** The HPKE `info` of everything that this API seals. */
const INFO = bytesFromText('turnkey_hpke')
const EMPTY: Bytes = new Uint8Array(0)
const SECRET_BYTES = 32
const NONCE_BYTES = 12

const VERSION = bytesFromText('HPKE-v1')
const KEM_SUITE = concatBytes(bytesFromText('KEM'), Uint8Array.of(0, 0x10))
const HPKE_SUITE = concatBytes(bytesFromText('HPKE'), Uint8Array.of(0, 0x10, 0, 1, 0, 2))

const ECDH = { name: 'ECDH', namedCurve: 'P-256' } as const
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const

/**
 * Encrypts to `recipientPublicKey` (65 bytes), with the additional data `enc ‖ recipientPublicKey`. Returns
 * `enc` (65 bytes) and the ciphertext with its 16-byte tag. Rejects if the key is not a point on the curve.
 */
export async function seal(
  recipientPublicKey: Bytes,
  plaintext: Bytes,
): Promise<{ enc: Bytes; ciphertext: Bytes }> {
  const { subtle } = getWebCrypto()
  const ephemeral = (await subtle.generateKey(ECDH, false, ['deriveBits'])) as CryptoKeyPair
  const enc = await exportPublicKey(ephemeral)
  const shared = await deriveSharedSecret(ephemeral.privateKey, recipientPublicKey)
  const { key, iv } = await deriveKeys(shared, enc, recipientPublicKey, 'encrypt')
  const additionalData = concatBytes(enc, recipientPublicKey)
  const ciphertext = await subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, key, plaintext)
  return { enc, ciphertext: new Uint8Array(ciphertext) }
}

/**
 * Decrypts the output of `seal`. `enc` is 65 bytes. Undefined if it was sealed to another key or has been
 * modified.
 */
export async function open(
  recipient: CryptoKeyPair,
  enc: Bytes,
  ciphertext: Bytes,
): Promise<Bytes | undefined> {
  const { subtle } = getWebCrypto()
  const recipientPublicKey = await exportPublicKey(recipient)
  try {
    const shared = await deriveSharedSecret(recipient.privateKey, enc)
    const { key, iv } = await deriveKeys(shared, enc, recipientPublicKey, 'decrypt')
    const additionalData = concatBytes(enc, recipientPublicKey)
    return new Uint8Array(await subtle.decrypt({ name: 'AES-GCM', iv, additionalData }, key, ciphertext))
  } catch {
    return undefined
  }
}

/** The x coordinate of the shared point. */
async function deriveSharedSecret(privateKey: CryptoKey, publicKey: Bytes): Promise<Bytes> {
  const { subtle } = getWebCrypto()
  const peerKey = await subtle.importKey('raw', publicKey, ECDH, false, [])
  return new Uint8Array(await subtle.deriveBits({ ...ECDH, public: peerKey }, privateKey, 8 * SECRET_BYTES))
}

/** Derives the message key and nonce (RFC 9180 sections 4.1 and 5.1) from the shared secret `dh`. */
async function deriveKeys(dh: Bytes, enc: Bytes, recipient: Bytes, usage: 'encrypt' | 'decrypt') {
  const prk = await extract(KEM_SUITE, EMPTY, 'eae_prk', dh)
  const secret = await expand(KEM_SUITE, prk, 'shared_secret', concatBytes(enc, recipient), SECRET_BYTES)
  const pskIdHash = await extract(HPKE_SUITE, EMPTY, 'psk_id_hash', EMPTY)
  const infoHash = await extract(HPKE_SUITE, EMPTY, 'info_hash', INFO)
  const context = concatBytes(Uint8Array.of(0), pskIdHash, infoHash)
  const root = await extract(HPKE_SUITE, secret, 'secret', EMPTY)
  const bytes = await expand(HPKE_SUITE, root, 'key', context, SECRET_BYTES)
  const iv = await expand(HPKE_SUITE, root, 'base_nonce', context, NONCE_BYTES)
  return { key: await getWebCrypto().subtle.importKey('raw', bytes, 'AES-GCM', false, [usage]), iv }
}

/** LabeledExtract of RFC 9180. */
async function extract(suite: Bytes, salt: Bytes, label: string, secret: Bytes): Promise<Bytes> {
  return computeHmac(salt, concatBytes(VERSION, suite, bytesFromText(label), secret))
}

/** LabeledExpand of RFC 9180, limited to one hash block. */
async function expand(suite: Bytes, prk: Bytes, label: string, info: Bytes, length: number): Promise<Bytes> {
  const labeled = concatBytes(Uint8Array.of(0, length), VERSION, suite, bytesFromText(label), info)
  return (await computeHmac(prk, concatBytes(labeled, Uint8Array.of(1)))).slice(0, length)
}

async function computeHmac(key: Bytes, message: Bytes): Promise<Bytes> {
  const { subtle } = getWebCrypto()
  // HMAC pads keys with zeros. Web Crypto rejects an empty key, so the padding is done here.
  const paddedKey = key.length > 0 ? key : new Uint8Array(SECRET_BYTES)
  const imported = await subtle.importKey('raw', paddedKey, HMAC, false, ['sign'])
  return new Uint8Array(await subtle.sign('HMAC', imported, message))
}
