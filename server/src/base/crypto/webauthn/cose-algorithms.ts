/**
 * The meaning of COSE numbers. In its own file, because the library that parses keys is not needed at
 * startup.
 */

export interface Algorithm {
  readonly kty: number
  readonly hash: 'sha256' | 'sha384' | 'sha512' | null
  /**
   * For EC2 and OKP keys: the curve, by COSE number and JWK name, and the length of a coordinate in bytes.
   */
  readonly curve?: { readonly number: number; readonly name: string; readonly bytes: number }
}

/** Key types. */
export const OKP = 1
const [EC2, RSA] = [2, 3]

/** Algorithms by COSE number. Each has a fixed curve: "ES256" with a key on another curve is rejected. */
export const ALGORITHMS: ReadonlyMap<unknown, Algorithm> = new Map<unknown, Algorithm>([
  [-7, { kty: EC2, hash: 'sha256', curve: { number: 1, name: 'P-256', bytes: 32 } }],
  [-35, { kty: EC2, hash: 'sha384', curve: { number: 2, name: 'P-384', bytes: 48 } }],
  [-36, { kty: EC2, hash: 'sha512', curve: { number: 3, name: 'P-521', bytes: 66 } }],
  [-8, { kty: OKP, hash: null, curve: { number: 6, name: 'Ed25519', bytes: 32 } }],
  [-53, { kty: OKP, hash: null, curve: { number: 7, name: 'Ed448', bytes: 57 } }],
  [-257, { kty: RSA, hash: 'sha256' }],
])

/** COSE numbers of ES256, ES384, ES512, EdDSA (Ed25519), Ed448 and RS256. */
export const COSE_ALGORITHMS: readonly number[] = [...ALGORITHMS.keys()].map(Number)
