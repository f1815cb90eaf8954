import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { decodeCredentialPublicKey } from '@simplewebauthn/server/helpers'
import { Lru } from '../lru.ts'
import { ALGORITHMS, type Algorithm, OKP } from './cose-algorithms.ts'

/** The public key of a passkey, ready for verification. Only `parseCoseKey` creates it. */
export interface CoseKey {
  /** The algorithm's COSE number. */
  readonly algorithm: number
  readonly keyObject: KeyObject
  /** The hash to apply to the signed bytes. Null if the algorithm does its own hashing. */
  readonly hash: 'sha256' | 'sha384' | 'sha512' | null
}

// COSE key parameters (RFC 9053) and their values.
const KTY = 1
const ALG = 3
const [CRV, X, Y] = [-1, -2, -3]
const [N, E] = [-1, -2]

const RSA_BYTES_MIN = 256
const RSA_BYTES_MAX = 1024
const RSA_EXPONENT_BYTES_MAX = 4

/**
 * Parsed keys by their base64 bytes, cached because importing a key takes about as long as verifying with it.
 */
const KEYS_MAX = 1024
const keys = new Lru<string, CoseKey>(KEYS_MAX)

/**
 * Parses a COSE key (RFC 9053): ES256, ES384, ES512, EdDSA with Ed25519, Ed448, or RS256 with 2048 to 8192
 * bits. Undefined for any other key, a curve that does not match the algorithm, a point not on the curve, and
 * an RSA modulus that is even or too small. Never throws.
 */
export function parseCoseKey(bytes: Uint8Array): CoseKey | undefined {
  const name = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  const cachedKey = keys.get(name)
  if (cachedKey !== undefined) return cachedKey
  try {
    const key = importCoseKey(decodeCredentialPublicKey(new Uint8Array(bytes)))
    if (key !== undefined) keys.set(name, key)
    return key
  } catch {
    return undefined
  }
}

/**
 * Verifies a signature over `message`. ECDSA signatures must be strict DER: trailing bytes, BER and r ‖ s are
 * rejected, while high-S is valid. Never throws.
 */
export function verifyCoseSignature(key: CoseKey, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify(key.hash, message, { key: key.keyObject, dsaEncoding: 'der' }, signature)
  } catch {
    return false
  }
}

/** Throws if the point is not on the curve. */
function importCoseKey(cose: unknown): CoseKey | undefined {
  if (!(cose instanceof Map)) return undefined
  const members: ReadonlyMap<unknown, unknown> = cose
  const algorithm = ALGORITHMS.get(members.get(ALG))
  if (algorithm === undefined || members.get(KTY) !== algorithm.kty) return undefined
  const jwk =
    algorithm.curve === undefined ? toRsaJwk(members) : toCurveJwk(members, algorithm.kty, algorithm.curve)
  if (jwk === undefined) return undefined
  const keyObject = createPublicKey({ key: jwk, format: 'jwk' })
  return { algorithm: Number(members.get(ALG)), keyObject, hash: algorithm.hash }
}

function toCurveJwk(
  members: ReadonlyMap<unknown, unknown>,
  kty: number,
  curve: NonNullable<Algorithm['curve']>,
): Record<string, string> | undefined {
  const [x, y] = [members.get(X), members.get(Y)]
  if (members.get(CRV) !== curve.number || !isBytes(x) || x.length !== curve.bytes) return undefined
  if (kty === OKP) return { kty: 'OKP', crv: curve.name, x: encodeBase64url(x) }
  if (!isBytes(y) || y.length !== curve.bytes) return undefined
  return { kty: 'EC', crv: curve.name, x: encodeBase64url(x), y: encodeBase64url(y) }
}

function toRsaJwk(members: ReadonlyMap<unknown, unknown>): Record<string, string> | undefined {
  const [n, e] = [members.get(N), members.get(E)]
  if (!isBytes(n) || !isBytes(e)) return undefined
  const longEnough = n.length > RSA_BYTES_MIN || (n.length === RSA_BYTES_MIN && n[0]! >= 0x80)
  const modulusFits = longEnough && n.length <= RSA_BYTES_MAX && n[0] !== 0
  const exponentFits = e.length >= 1 && e.length <= RSA_EXPONENT_BYTES_MAX && e[0] !== 0
  if (!modulusFits || !exponentFits || !isOddAbove1(n) || !isOddAbove1(e)) return undefined
  return { kty: 'RSA', n: encodeBase64url(n), e: encodeBase64url(e) }
}

/** True for an odd number greater than 1, as big-endian bytes without leading zeros. */
function isOddAbove1(bytes: Uint8Array): boolean {
  const last = bytes.at(-1)!
  return last % 2 === 1 && (bytes.length > 1 || last > 1)
}

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array
}

function encodeBase64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}
