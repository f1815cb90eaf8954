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

/** A point of P-256, checked to be on the curve. Only the functions of this file create it. */
export interface PublicKey {
  /** SEC1 uncompressed, 65 bytes: 0x04 ‖ X ‖ Y. Read-only. */
  readonly bytes: Uint8Array
  /** 130 hex characters, lower case, prefix `04`. */
  readonly uncompressedHex: string
  /** 66 hex characters, lower case, prefix `02` or `03`. */
  readonly compressedHex: string
}

export interface KeyPair {
  /** The private scalar, 32 bytes, big-endian, in 1..n-1. Read-only. */
  readonly privateKey: Uint8Array
  readonly publicKey: PublicKey
}

/** The encoding of r and s in a signature: DER as clients send it, or the 64 bytes r ‖ s of ES256 tokens. */
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
 * Caches public keys of recently checked signatures, by their compressed hex, because importing a key costs
 * as much as verifying with it. Only `verifySignature` fills it: if the caller looks up the session first, as
 * `signing/` does, an attacker cannot evict the keys of active sessions by sending others.
 */
const VERIFYING_KEYS_MAX = 4096
const verifyingKeys = new Lru<string, { publicKey: PublicKey; keyObject: KeyObject }>(VERIFYING_KEYS_MAX)

/** Caches imported private keys for the lifetime of their pair. */
const signingKeys = new WeakMap<KeyPair, KeyObject>()

/**
 * Parses a SEC1 public key from hex: uncompressed (130 characters, `04`) or compressed (66, `02` or `03`),
 * either case. Undefined for any other form (hybrid `06`/`07` included), or if the point is not on the curve;
 * never throws.
 */
export function parsePublicKey(hex: string): PublicKey | undefined {
  if (UNCOMPRESSED_HEX.test(hex)) return pointOf(Buffer.from(hex, 'hex'))
  if (!COMPRESSED_HEX.test(hex)) return undefined
  return verifyingKeys.get(hex.toLowerCase())?.publicKey ?? pointOf(Buffer.from(hex, 'hex'))
}

/**
 * Parses a `clientPublicKey` (specification 4.4, 8): 130 hex characters, prefix `04`, either case, on the curve; or
 * undefined.
 */
export function parseUncompressedPublicKey(hex: string): PublicKey | undefined {
  return UNCOMPRESSED_HEX.test(hex) ? pointOf(Buffer.from(hex, 'hex')) : undefined
}

/**
 * Parses the SEC1 bytes of a public key: 65 with a leading 0x04, or 33 with 0x02 or 0x03. Otherwise like
 * `parsePublicKey`.
 */
export function parsePublicKeyBytes(bytes: Uint8Array): PublicKey | undefined {
  const form = bytes[0]
  const knownForm = bytes.length === 65 ? form === 4 : bytes.length === 33 && (form === 2 || form === 3)
  return knownForm ? pointOf(bytes) : undefined
}

/** True if two keys are the same point, in any encoding. */
export function samePublicKey(a: PublicKey, b: PublicKey): boolean {
  return a.compressedHex === b.compressedHex
}

/** A new random key pair. */
export function generateKeyPair(): KeyPair {
  const ecdh = createECDH(CURVE)
  ecdh.generateKeys()
  // OpenSSL writes the scalar without its leading zero bytes.
  const privateKey = Buffer.alloc(PRIVATE_KEY_BYTES)
  const scalar = ecdh.getPrivateKey()
  scalar.copy(privateKey, PRIVATE_KEY_BYTES - scalar.length)
  scalar.fill(0)
  return { privateKey, publicKey: publicKeyOf(ecdh) }
}

/**
 * The key pair of a private scalar, which is not copied: wiping the scalar also makes the pair unusable.
 * Throws RangeError unless it is 32 bytes in 1..n-1.
 */
export function keyPairFromPrivateKey(privateKey: Uint8Array): KeyPair {
  return { privateKey, publicKey: publicKeyOf(ecdhOf(privateKey)) }
}

/**
 * ECDH: the X coordinate of the shared point, 32 bytes. Throws RangeError unless the scalar is 32 bytes in
 * 1..n-1.
 */
export function deriveSharedSecret(privateKey: Uint8Array, publicKey: PublicKey): Uint8Array {
  return ecdhOf(privateKey).computeSecret(publicKey.bytes)
}

/**
 * ECDSA-SHA256 over `message`, in DER by default; s is not normalised to its low half. Throws RangeError if
 * the pair's scalar was wiped before its first signature.
 */
export function signMessage(
  keyPair: KeyPair,
  message: Uint8Array,
  encoding: SignatureEncoding = 'der',
): Uint8Array {
  return sign('sha256', message, { key: signingKeyOf(keyPair), dsaEncoding: encoding })
}

/** Like `signMessage` in DER, but in the thread pool: the main thread stays free meanwhile. */
export function signMessageInPool(keyPair: KeyPair, message: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const key = { key: signingKeyOf(keyPair), dsaEncoding: 'der' } as const
    sign('sha256', message, key, (error, signature) => (error ? reject(error) : resolve(signature)))
  })
}

/** Throws RangeError if the pair's scalar was wiped before its first signature. */
function signingKeyOf(keyPair: KeyPair): KeyObject {
  const known = signingKeys.get(keyPair)
  if (known) return known
  // A wiped scalar must not sign: OpenSSL imports zero without an error.
  ecdhOf(keyPair.privateKey)
  const der = Buffer.concat([PKCS8_PREFIX, keyPair.privateKey])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  der.fill(0)
  signingKeys.set(keyPair, key)
  return key
}

/**
 * Verifies a P-256 ECDSA-SHA256 signature over `message`; never throws on a hostile one. DER is strict:
 * trailing bytes and BER are refused. High-S is valid (formats 4), so a signature can be rewritten and must
 * not identify a request against replays.
 */
export function verifySignature(
  publicKey: PublicKey,
  message: Uint8Array,
  signature: Uint8Array,
  encoding: SignatureEncoding = 'der',
): boolean {
  let known = verifyingKeys.get(publicKey.compressedHex)
  if (known === undefined) {
    known = { publicKey, keyObject: importPublicKey(publicKey) }
    verifyingKeys.set(publicKey.compressedHex, known)
  }
  return verify('sha256', message, { key: known.keyObject, dsaEncoding: encoding }, signature)
}

/** JWK, which OpenSSL imports in two thirds of the time that it takes for SPKI. */
function importPublicKey({ bytes }: PublicKey): KeyObject {
  const text = (part: Uint8Array) => Buffer.from(part).toString('base64url')
  const [x, y] = [text(bytes.subarray(1, 33)), text(bytes.subarray(33))]
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
}

/** The form of `bytes` was checked, but not that they are on the curve. */
function pointOf(bytes: Uint8Array): PublicKey | undefined {
  try {
    return publicKeyFrom(
      bytes.length === 65 ? bytes : convert(bytes, 'uncompressed'),
      bytes.length === 33 ? bytes : convert(bytes, 'compressed'),
    )
  } catch {
    return undefined
  }
}

/** Throws if `bytes` are not a point of the curve. */
function convert(bytes: Uint8Array, form: 'compressed' | 'uncompressed'): Buffer {
  return ECDH.convertKey(bytes, CURVE, undefined, undefined, form) as Buffer
}

function publicKeyOf(ecdh: ECDH): PublicKey {
  return publicKeyFrom(ecdh.getPublicKey(), ecdh.getPublicKey(null, 'compressed'))
}

function publicKeyFrom(uncompressed: Uint8Array, compressed: Uint8Array): PublicKey {
  return {
    // Copies the bytes: the caller's buffer may change after the check.
    bytes: Uint8Array.from(uncompressed),
    uncompressedHex: Buffer.from(uncompressed).toString('hex'),
    compressedHex: Buffer.from(compressed).toString('hex'),
  }
}

function ecdhOf(privateKey: Uint8Array): ECDH {
  if (privateKey.length !== PRIVATE_KEY_BYTES) throw new RangeError('a P-256 private key is 32 bytes')
  const ecdh = createECDH(CURVE)
  try {
    // This checks the range of the scalar; createPrivateKey does not.
    ecdh.setPrivateKey(privateKey)
  } catch {
    // Omits the cause: no message may contain a part of the key.
    throw new RangeError('a P-256 private key lies in 1..n-1')
  }
  return ecdh
}
