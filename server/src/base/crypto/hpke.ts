import { GCM_KEY_BYTES, GCM_NONCE_BYTES, gcmOpen, gcmSeal } from './aes-gcm.ts'
import { hkdfExpand, hkdfExtract } from './hkdf.ts'
import {
  deriveSharedSecret,
  generateKeyPair,
  type KeyPair,
  type PublicKey,
  parsePublicKeyBytes,
  toKeyPair,
} from './p256.ts'

/** The `info` of all sealed data, in both directions (formats 1). */
export const HPKE_INFO: Uint8Array = Buffer.from('turnkey_hpke', 'ascii')

const KEM_ID = Buffer.of(0x00, 0x10)
const KDF_ID = Buffer.of(0x00, 0x01)
const AEAD_ID = Buffer.of(0x00, 0x02)
const VERSION_LABEL = Buffer.from('HPKE-v1', 'ascii')
const KEM_SUITE = Buffer.concat([Buffer.from('KEM', 'ascii'), KEM_ID])
const HPKE_SUITE = Buffer.concat([Buffer.from('HPKE', 'ascii'), KEM_ID, KDF_ID, AEAD_ID])
const SECRET_BYTES = 32
const EMPTY = Buffer.alloc(0)
const MODE_BASE = Buffer.of(0x00)

// Base mode has no psk, so the hash of the empty psk_id is constant.
const PSK_ID_HASH = labeledExtract(HPKE_SUITE, EMPTY, 'psk_id_hash', EMPTY)

/** The context shared by sender and recipient (RFC 9180 section 5.1). */
export interface HpkeContext {
  /** SerializePublicKey(pkE): 65 bytes, uncompressed. */
  readonly enc: Uint8Array
  /** AES-256-GCM key, 32 bytes. */
  readonly key: Uint8Array
  /** 12 bytes. Single shot uses it unchanged, because its only message has number 0. */
  readonly baseNonce: Uint8Array
}

export interface SealOptions {
  readonly recipientPublicKey: PublicKey
  readonly plaintext: Uint8Array
  /** Defaults to `HPKE_INFO`. */
  readonly info?: Uint8Array
  /** Defaults to `enc ‖ pkR`, both uncompressed (formats 1). */
  readonly aad?: Uint8Array
}

export interface OpenOptions {
  /** The recipient's 32-byte private scalar, or its key pair, which saves a multiplication. */
  readonly privateKey: Uint8Array | KeyPair
  /** 65 bytes, uncompressed, as received. */
  readonly enc: Uint8Array
  /** Ciphertext ‖ tag. */
  readonly ciphertext: Uint8Array
  readonly info?: Uint8Array
  readonly aad?: Uint8Array
}

/**
 * HPKE single shot (RFC 9180 section 6.1) in base mode, with DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and
 * AES-256-GCM. `enc` is 65 bytes, uncompressed; `ciphertext` ends with the 16-byte tag.
 */
export function seal(options: SealOptions): { enc: Uint8Array; ciphertext: Uint8Array } {
  const { recipientPublicKey, plaintext, info = HPKE_INFO } = options
  const { enc, key, baseNonce } = setUpSender(recipientPublicKey, info)
  const aad = options.aad ?? Buffer.concat([enc, recipientPublicKey.bytes])
  return { enc, ciphertext: gcmSeal(key, baseNonce, aad, plaintext) }
}

/**
 * Opens the output of `seal`. Undefined if `enc` is not an uncompressed point on the curve, or if the
 * ciphertext does not open. Throws RangeError for an invalid private key, but never because of the sender's
 * input.
 */
export function open(options: OpenOptions): Uint8Array | undefined {
  const { privateKey, ciphertext, info = HPKE_INFO } = options
  const keyPair = privateKey instanceof Uint8Array ? toKeyPair(privateKey) : privateKey
  const context = setUpRecipient(keyPair, options.enc, info)
  if (context === undefined) return undefined
  const aad = options.aad ?? Buffer.concat([context.enc, keyPair.publicKey.bytes])
  return gcmOpen(context.key, context.baseNonce, aad, ciphertext)
}

/** SetupBaseS. The ephemeral key pair is random; only the test of the RFC's vectors sets it. */
export function setUpSender(
  recipientPublicKey: PublicKey,
  info: Uint8Array,
  ephemeral: KeyPair = generateKeyPair(),
): HpkeContext {
  const dh = deriveSharedSecret(ephemeral.privateKey, recipientPublicKey)
  return deriveContext(dh, ephemeral.publicKey, recipientPublicKey, info)
}

/** SetupBaseR. Undefined if `enc` is not a point on the curve as 65 uncompressed bytes. */
export function setUpRecipient(
  recipient: KeyPair,
  enc: Uint8Array,
  info: Uint8Array,
): HpkeContext | undefined {
  // DHKEM does not accept compressed points, so the caller expands `enc` if it was sent compressed.
  const ephemeralPublicKey = enc.length === 65 ? parsePublicKeyBytes(enc) : undefined
  if (ephemeralPublicKey === undefined) return undefined
  const dh = deriveSharedSecret(recipient.privateKey, ephemeralPublicKey)
  return deriveContext(dh, ephemeralPublicKey, recipient.publicKey, info)
}

/**
 * ExtractAndExpand (RFC 9180 section 4.1), then KeySchedule (RFC 9180 section 5.1) without the exporter,
 * which is not needed here.
 */
function deriveContext(
  dh: Uint8Array,
  ephemeralPublicKey: PublicKey,
  recipientPublicKey: PublicKey,
  info: Uint8Array,
): HpkeContext {
  const enc = ephemeralPublicKey.bytes
  const kemContext = Buffer.concat([enc, recipientPublicKey.bytes])
  const eaePrk = labeledExtract(KEM_SUITE, EMPTY, 'eae_prk', dh)
  const shared = labeledExpand(KEM_SUITE, eaePrk, 'shared_secret', kemContext, SECRET_BYTES)
  const infoHash = labeledExtract(HPKE_SUITE, EMPTY, 'info_hash', info)
  const schedule = Buffer.concat([MODE_BASE, PSK_ID_HASH, infoHash])
  const secret = labeledExtract(HPKE_SUITE, shared, 'secret', EMPTY)
  return {
    enc,
    key: labeledExpand(HPKE_SUITE, secret, 'key', schedule, GCM_KEY_BYTES),
    baseNonce: labeledExpand(HPKE_SUITE, secret, 'base_nonce', schedule, GCM_NONCE_BYTES),
  }
}

function labeledExtract(
  suite: Uint8Array,
  salt: Uint8Array,
  label: string,
  inputKey: Uint8Array,
): Uint8Array {
  return hkdfExtract(salt, VERSION_LABEL, suite, Buffer.from(label, 'ascii'), inputKey)
}

function labeledExpand(
  suite: Uint8Array,
  key: Uint8Array,
  label: string,
  info: Uint8Array,
  length: number,
): Uint8Array {
  const lengthBytes = Buffer.of(length >> 8, length & 0xff)
  return hkdfExpand(key, length, lengthBytes, VERSION_LABEL, suite, Buffer.from(label, 'ascii'), info)
}
