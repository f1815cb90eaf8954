import {
  createECDH,
  createPrivateKey,
  createPublicKey,
  ECDH,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { Lru } from './lru.ts'

/** A point checked to be on the P-256 curve. Created only by functions of this file. */
export interface PublicKey {
  /** SEC1 uncompressed, 65 bytes: 0x04 ‖ X ‖ Y. Read-only. */
  readonly bytes: Uint8Array
  /** 130 lower-case hex characters, with the prefix `04`. */
  readonly uncompressedHex: string
  /** 66 lower-case hex characters, with the prefix `02` or `03`. */
  readonly compressedHex: string
}

export interface KeyPair {
  /** The private scalar in 1..n-1: 32 bytes, big-endian. Read-only. */
  readonly privateKey: Uint8Array
  readonly publicKey: PublicKey
}

/** The encoding of r and s in a signature: DER, as clients send it, or the 64 bytes r ‖ s of ES256 tokens. */
export type SignatureEncoding = 'der' | 'ieee-p1363'

const CURVE = 'prime256v1'
const UNCOMPRESSED_HEX = /^04[0-9a-fA-F]{128}$/
const COMPRESSED_HEX = /^0[23][0-9a-fA-F]{64}$/
const PRIVATE_KEY_BYTES = 32

// The DER prefix of a raw private key. A JWK would put the scalar into a string, which cannot be wiped.
const PKCS8_PREFIX = Buffer.from(
  '3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420',
  'hex',
)

/**
 * The public keys of recently verified signatures, by compressed hex, cached because importing a key costs as
 * much as verifying with it. Only `verifySignature` adds to it. Callers like `signing/` look up the session
 * first, so an attacker cannot evict the keys of active sessions by sending others.
 */
const VERIFYING_KEYS_MAX = 4096
const verifyingKeys = new Lru<string, { publicKey: PublicKey; keyObject: KeyObject }>(VERIFYING_KEYS_MAX)

/** Imported private keys, cached as long as their pair exists. */
const signingKeys = new WeakMap<KeyPair, KeyObject>()

/**
 * Parses a SEC1 public key in hex, in either case: uncompressed (130 characters, `04`) or compressed (66,
 * `02` or `03`). Undefined for any other form, including hybrid `06` and `07`, and if the point is not on the
 * curve. Never throws.
 */
export function parsePublicKey(hex: string): PublicKey | undefined {
  if (UNCOMPRESSED_HEX.test(hex)) return parsePoint(Buffer.from(hex, 'hex'))
  if (!COMPRESSED_HEX.test(hex)) return undefined
  return verifyingKeys.get(hex.toLowerCase())?.publicKey ?? parsePoint(Buffer.from(hex, 'hex'))
}

/**
 * Parses a `clientPublicKey` (specification 4.4, 8): 130 hex characters in either case, with the prefix `04`.
 * Undefined for anything else, and if the point is not on the curve.
 */
export function parseUncompressedPublicKey(hex: string): PublicKey | undefined {
  return UNCOMPRESSED_HEX.test(hex) ? parsePoint(Buffer.from(hex, 'hex')) : undefined
}

/**
 * Parses the SEC1 bytes of a public key: 65 starting with 0x04, or 33 starting with 0x02 or 0x03. Otherwise
 * like `parsePublicKey`.
 */
export function parsePublicKeyBytes(bytes: Uint8Array): PublicKey | undefined {
  const prefix = bytes[0]
  const knownForm = bytes.length === 65 ? prefix === 4 : bytes.length === 33 && (prefix === 2 || prefix === 3)
  return knownForm ? parsePoint(bytes) : undefined
}

/** True if two keys are the same point, in whatever encoding. */
export function isSamePublicKey(a: PublicKey, b: PublicKey): boolean {
  return a.compressedHex === b.compressedHex
}

/** Generates a random key pair. */
export function generateKeyPair(): KeyPair {
  const ecdh = createECDH(CURVE)
  ecdh.generateKeys()
  // OpenSSL omits the leading zero bytes of the scalar.
  const privateKey = Buffer.alloc(PRIVATE_KEY_BYTES)
  const scalar = ecdh.getPrivateKey()
  scalar.copy(privateKey, PRIVATE_KEY_BYTES - scalar.length)
  scalar.fill(0)
  return { privateKey, publicKey: toPublicKey(ecdh) }
}

/**
 * The key pair of a private scalar. The scalar is not copied, so wiping it makes the pair unusable. Throws
 * RangeError unless it is 32 bytes in 1..n-1.
 */
export function toKeyPair(privateKey: Uint8Array): KeyPair {
  return { privateKey, publicKey: toPublicKey(createEcdh(privateKey)) }
}

/**
 * ECDH: the X coordinate of the shared point, 32 bytes. Throws RangeError unless the scalar is 32 bytes in
 * 1..n-1.
 */
export function deriveSharedSecret(privateKey: Uint8Array, publicKey: PublicKey): Uint8Array {
  return createEcdh(privateKey).computeSecret(publicKey.bytes)
}

/**
 * Signs `message` with ECDSA and SHA-256, in DER by default. s is not normalized to the lower half. Throws
 * RangeError if the scalar was wiped before the pair's first signature.
 */
export function signMessage(
  keyPair: KeyPair,
  message: Uint8Array,
  encoding: SignatureEncoding = 'der',
): Uint8Array {
  return sign('sha256', message, { key: getSigningKey(keyPair), dsaEncoding: encoding })
}

/** Like `signMessage` with DER, but in the thread pool, so that the main thread is not blocked. */
export function signMessageInPool(keyPair: KeyPair, message: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const key = { key: getSigningKey(keyPair), dsaEncoding: 'der' } as const
    sign('sha256', message, key, (error, signature) => (error ? reject(error) : resolve(signature)))
  })
}

/** Throws RangeError if the scalar was wiped before the pair's first signature. */
function getSigningKey(keyPair: KeyPair): KeyObject {
  const cachedKey = signingKeys.get(keyPair)
  if (cachedKey) return cachedKey
  // A wiped scalar must not sign: OpenSSL would import zero without an error.
  createEcdh(keyPair.privateKey)
  const der = Buffer.concat([PKCS8_PREFIX, keyPair.privateKey])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  der.fill(0)
  signingKeys.set(keyPair, key)
  return key
}

/**
 * Verifies an ECDSA signature (P-256, SHA-256) over `message`; never throws because of it. DER is strict:
 * trailing bytes and BER are rejected. High-S is valid (formats 4), so a signature can be rewritten and must
 * not be used to detect replays.
 */
export function verifySignature(
  publicKey: PublicKey,
  message: Uint8Array,
  signature: Uint8Array,
  encoding: SignatureEncoding = 'der',
): boolean {
  let cachedKey = verifyingKeys.get(publicKey.compressedHex)
  if (cachedKey === undefined) {
    cachedKey = { publicKey, keyObject: importPublicKey(publicKey) }
    verifyingKeys.set(publicKey.compressedHex, cachedKey)
  }
  return verify('sha256', message, { key: cachedKey.keyObject, dsaEncoding: encoding }, signature)
}

/** Uses a JWK, because OpenSSL imports it in two thirds of the time that SPKI takes. */
function importPublicKey({ bytes }: PublicKey): KeyObject {
  const text = (part: Uint8Array) => Buffer.from(part).toString('base64url')
  const [x, y] = [text(bytes.subarray(1, 33)), text(bytes.subarray(33))]
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
}

/** Checks that `bytes`, whose form was already checked, are a point on the curve. */
function parsePoint(bytes: Uint8Array): PublicKey | undefined {
  try {
    return buildPublicKey(
      bytes.length === 65 ? bytes : convert(bytes, 'uncompressed'),
      bytes.length === 33 ? bytes : convert(bytes, 'compressed'),
    )
  } catch {
    return undefined
  }
}

/** Throws if `bytes` are not a point on the curve. */
function convert(bytes: Uint8Array, form: 'compressed' | 'uncompressed'): Buffer {
  return ECDH.convertKey(bytes, CURVE, undefined, undefined, form) as Buffer
}

function toPublicKey(ecdh: ECDH): PublicKey {
  return buildPublicKey(ecdh.getPublicKey(), ecdh.getPublicKey(null, 'compressed'))
}

function buildPublicKey(uncompressed: Uint8Array, compressed: Uint8Array): PublicKey {
  return {
    // A copy, because the caller's buffer might change after the check.
    bytes: Uint8Array.from(uncompressed),
    uncompressedHex: Buffer.from(uncompressed).toString('hex'),
    compressedHex: Buffer.from(compressed).toString('hex'),
  }
}

function createEcdh(privateKey: Uint8Array): ECDH {
  if (privateKey.length !== PRIVATE_KEY_BYTES) throw new RangeError('a P-256 private key must have 32 bytes')
  const ecdh = createECDH(CURVE)
  try {
    // Checks the range of the scalar, which createPrivateKey does not.
    ecdh.setPrivateKey(privateKey)
  } catch {
    // Without the cause, so that no message contains any part of the key.
    throw new RangeError('a P-256 private key must be in 1..n-1')
  }
  return ecdh
}
