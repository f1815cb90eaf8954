import { type Bytes, bytesFromText, concatBytes } from './bytes.ts'
import { uncompressedPublicKey } from './p256.ts'

/** `info` of everything that is sealed in this API. */
const INFO = bytesFromText('turnkey_hpke')

const ECDH = { name: 'ECDH', namedCurve: 'P-256' } as const
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const
const SECRET_BYTES = 32
const NONCE_BYTES = 12
const NOTHING = new Uint8Array(0)
const VERSION_LABEL = bytesFromText('HPKE-v1')
/** DHKEM(P-256, HKDF-SHA256) is 0x0010, HKDF-SHA256 is 0x0001, AES-256-GCM is 0x0002. */
const KEM_SUITE = concatBytes(bytesFromText('KEM'), Uint8Array.of(0, 0x10))
const HPKE_SUITE = concatBytes(bytesFromText('HPKE'), Uint8Array.of(0, 0x10, 0, 1, 0, 2))
const MODE_BASE = Uint8Array.of(0)

/**
 * HPKE (RFC 9180), base mode: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM, one message to
 * `recipientPublicKey` (65 bytes). The additional data is `enc ‖ recipientPublicKey`. Gives `enc` (65 bytes) and the
 * ciphertext with its 16-byte tag. Rejects where the key is not a point of the curve.
 *
 * The runtime's own cryptography does all of it: a library for every suite weighs more than the rest of a device's key, and
 * asks bundlers for a module of Node.
 */
export async function seal(
  recipientPublicKey: Bytes,
  plaintext: Bytes,
): Promise<{ enc: Bytes; ciphertext: Bytes }> {
  const { subtle } = crypto
  const recipient = await subtle.importKey('raw', recipientPublicKey, ECDH, false, [])
  const ephemeral = await subtle.generateKey(ECDH, false, ['deriveBits'])
  const enc = await uncompressedPublicKey(ephemeral)
  const keys = await deriveKeys(await agree(ephemeral.privateKey, recipient), enc, recipientPublicKey, INFO)
  const key = await subtle.importKey('raw', keys.key, 'AES-GCM', false, ['encrypt'])
  const ciphertext = await subtle.encrypt(gcm(keys.nonce, enc, recipientPublicKey), key, plaintext)
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
  const { subtle } = crypto
  const own = await uncompressedPublicKey(recipient)
  try {
    const sender = await subtle.importKey('raw', enc, ECDH, false, [])
    const keys = await deriveKeys(await agree(recipient.privateKey, sender), enc, own, INFO)
    const key = await subtle.importKey('raw', keys.key, 'AES-GCM', false, ['decrypt'])
    return new Uint8Array(await subtle.decrypt(gcm(keys.nonce, enc, own), key, ciphertext))
  } catch {
    return undefined
  }
}

/**
 * The key (32 bytes) and the nonce (12 bytes) of the first and only message: ExtractAndExpand (RFC 9180 section 4.1), then
 * KeySchedule (RFC 9180 section 5.1). `shared` is what both sides agree on, both public keys are 65 bytes.
 */
export async function deriveKeys(
  shared: Bytes,
  enc: Bytes,
  recipientPublicKey: Bytes,
  info: Bytes,
): Promise<{ key: Bytes; nonce: Bytes }> {
  const agreed = await extract(KEM_SUITE, NOTHING, 'eae_prk', shared)
  const secret = await expand(
    KEM_SUITE,
    agreed,
    'shared_secret',
    concatBytes(enc, recipientPublicKey),
    SECRET_BYTES,
  )
  const context = concatBytes(
    MODE_BASE,
    await extract(HPKE_SUITE, NOTHING, 'psk_id_hash', NOTHING),
    await extract(HPKE_SUITE, NOTHING, 'info_hash', info),
  )
  const schedule = await extract(HPKE_SUITE, secret, 'secret', NOTHING)
  return {
    key: await expand(HPKE_SUITE, schedule, 'key', context, SECRET_BYTES),
    nonce: await expand(HPKE_SUITE, schedule, 'base_nonce', context, NONCE_BYTES),
  }
}

async function agree(privateKey: CryptoKey, publicKey: CryptoKey): Promise<Bytes> {
  const algorithm = { name: 'ECDH', public: publicKey }
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, privateKey, 8 * SECRET_BYTES))
}

function gcm(iv: Bytes, enc: Bytes, recipientPublicKey: Bytes): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: concatBytes(enc, recipientPublicKey) }
}

/** LabeledExtract (RFC 9180 section 4). */
async function extract(suite: Bytes, salt: Bytes, label: string, keyMaterial: Bytes): Promise<Bytes> {
  return hmac(salt, concatBytes(VERSION_LABEL, suite, bytesFromText(label), keyMaterial))
}

/** LabeledExpand (RFC 9180 section 4), of at most the 32 bytes that one round gives. */
async function expand(suite: Bytes, key: Bytes, label: string, info: Bytes, length: number): Promise<Bytes> {
  const labeled = concatBytes(Uint8Array.of(0, length), VERSION_LABEL, suite, bytesFromText(label), info)
  return (await hmac(key, concatBytes(labeled, Uint8Array.of(1)))).slice(0, length)
}

async function hmac(key: Bytes, message: Bytes): Promise<Bytes> {
  // Web Crypto takes no empty key. HMAC fills a short one up with zeros, so these are the same.
  const raw = key.length > 0 ? key : new Uint8Array(SECRET_BYTES)
  const imported = await crypto.subtle.importKey('raw', raw, HMAC, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, message))
}
