import { isObject } from '@countersign/contract/core/decode'
import type { JWK } from 'jose'
import { bytesFromBase64url } from '../encodings.ts'

/** A public key for verifying signatures. Created only by `readKeySet`. */
export interface VerificationKey {
  readonly kid: string | undefined
  /** The JWS algorithms for the key: the one that it names, or those that fit its type and curve. */
  readonly algorithms: readonly string[]
  /** The numbers of the public key, without any other published properties. */
  readonly jwk: JWK
}

export type KeySet = readonly VerificationKey[]

const KEYS_MAX = 100
const KID_CHARACTERS_MAX = 1024
const RSA_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
const RSA_BITS_MIN = 2048
const RSA_BITS_MAX = 8192
const RSA_EXPONENT_BYTES_MAX = 8
const EC_CURVES: ReadonlyMap<unknown, { algorithm: string; bytes: number }> = new Map([
  ['P-256', { algorithm: 'ES256', bytes: 32 }],
  ['P-384', { algorithm: 'ES384', bytes: 48 }],
  ['P-521', { algorithm: 'ES512', bytes: 66 }],
])
const ED25519_ALGORITHMS = ['EdDSA', 'Ed25519']
const ED25519_BYTES = 32

/** All accepted JWS algorithms, which exclude `none` and HMAC. */
export const SIGNATURE_ALGORITHMS: readonly string[] = [
  ...RSA_ALGORITHMS,
  ...[...EC_CURVES.values()].map(({ algorithm }) => algorithm),
  ...ED25519_ALGORITHMS,
]

/**
 * The usable keys of a parsed JWK set (RFC 7517 section 5); undefined if it is not a set, or has more than
 * 100 keys. Skips symmetric and private keys, keys not meant for verification, algorithms that do not fit the
 * key's type and curve, and RSA keys that have fewer than 2048 or more than 8192 bits, an even modulus, the
 * exponent 1, or the weak primes of CVE-2017-15361 ("ROCA"). Points are checked to be on their curve only
 * when a key is used.
 */
export function readKeySet(value: unknown): KeySet | undefined {
  if (!isObject(value) || !Array.isArray(value.keys) || value.keys.length > KEYS_MAX) return undefined
  return value.keys.flatMap((publishedKey: unknown) => readKey(publishedKey) ?? [])
}

/**
 * The key for a token with this header. If the header has a `kid`, only keys with that name count. Undefined
 * if no key fits, or more than one.
 */
export function selectKey(
  keys: KeySet,
  algorithm: string,
  kid: string | undefined,
): VerificationKey | undefined {
  const candidates = keys.filter(
    (key) => (kid === undefined || key.kid === kid) && key.algorithms.includes(algorithm),
  )
  return candidates.length === 1 ? candidates[0] : undefined
}

function readKey(value: unknown): VerificationKey | undefined {
  if (!isObject(value) || 'd' in value || 'k' in value) return undefined
  const { kid, use, key_ops, alg } = value
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > KID_CHARACTERS_MAX)) return undefined
  if (use !== undefined && use !== 'sig') return undefined
  if (key_ops !== undefined && !(Array.isArray(key_ops) && key_ops.includes('verify'))) return undefined
  const material = readMaterial(value)
  if (material === undefined) return undefined
  const algorithms = material.algorithms.filter((supported) => alg === undefined || alg === supported)
  return algorithms.length === 0 ? undefined : { kid, algorithms, jwk: material.jwk }
}

function readMaterial(
  value: Record<string, unknown>,
): { algorithms: readonly string[]; jwk: JWK } | undefined {
  const { kty, crv } = value
  if (kty === 'RSA') return readRsa(value)
  const [x, y] = [decodeBytes(value.x), decodeBytes(value.y)]
  if (kty === 'OKP' && crv === 'Ed25519') {
    if (x?.length !== ED25519_BYTES) return undefined
    return { algorithms: ED25519_ALGORITHMS, jwk: { kty, crv, x: toBase64url(x) } }
  }
  const curve = kty === 'EC' ? EC_CURVES.get(crv) : undefined
  if (curve === undefined || x?.length !== curve.bytes || y?.length !== curve.bytes) return undefined
  return {
    algorithms: [curve.algorithm],
    jwk: { kty: 'EC', crv: String(crv), x: toBase64url(x), y: toBase64url(y) },
  }
}

function readRsa(value: Record<string, unknown>): { algorithms: readonly string[]; jwk: JWK } | undefined {
  const [modulus, exponent] = [decodeBytes(value.n), decodeBytes(value.e)]
  if (modulus === undefined || exponent === undefined) return undefined
  if (modulus.length > RSA_BITS_MAX / 8 + 1 || exponent.length > RSA_EXPONENT_BYTES_MAX) return undefined
  const [n, e] = [decodeInteger(modulus), decodeInteger(exponent)]
  const bits = n.toString(2).length
  if (bits < RSA_BITS_MIN || bits > RSA_BITS_MAX || n % 2n === 0n || e % 2n === 0n || e < 3n) return undefined
  if (isRoca(n)) return undefined
  return {
    algorithms: RSA_ALGORITHMS,
    jwk: { kty: 'RSA', n: toBase64url(modulus), e: toBase64url(exponent) },
  }
}

/**
 * The moduli of CVE-2017-15361 are powers of 65537 modulo each of the first primes. Any other modulus passes
 * this test by chance about once in 2^27.
 */
function isRoca(n: bigint): boolean {
  return ROCA_RESIDUES.every(([prime, residues]) => residues.has(Number(n % prime)))
}

const ROCA_RESIDUES: readonly (readonly [bigint, ReadonlySet<number>])[] = listOddPrimesUpTo(167).map(
  (prime) => {
    const residues = new Set<number>()
    for (let power = 1; !residues.has(power); power = (power * 65537) % prime) residues.add(power)
    return [BigInt(prime), residues]
  },
)

function listOddPrimesUpTo(max: number): number[] {
  const primes: number[] = []
  for (let candidate = 3; candidate <= max; candidate += 2)
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate)
  return primes
}

function decodeBytes(value: unknown): Buffer | undefined {
  return typeof value === 'string' ? bytesFromBase64url(value) : undefined
}

function decodeInteger(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`)
}

function toBase64url(bytes: Buffer): string {
  return bytes.toString('base64url')
}
