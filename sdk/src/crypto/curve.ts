import { type Bytes, bytesFromHex, concatBytes, hexFromBytes } from './bytes.ts'

/** The curve y² = x³ - 3x + b over the integers modulo p (SEC 2, secp256r1). */
const P = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn
const COORDINATE_HEX = 64

/** The curve's generator as an uncompressed point of 65 bytes. */
export const GENERATOR: Bytes = bytesFromHex(
  '046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296' +
    '4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5',
)!

/**
 * Expands a compressed point (33 bytes) to 65 bytes, because not every Web Crypto accepts compressed points.
 * Undefined if it is not on the curve.
 */
export function decompress(compressed: Uint8Array): Bytes | undefined {
  const [prefix] = compressed
  if (compressed.length !== 33 || (prefix !== 2 && prefix !== 3)) return undefined
  const xBytes = compressed.subarray(1)
  const x = BigInt(`0x${hexFromBytes(xBytes)}`)
  if (x >= P) return undefined
  const ySquared = (x * x * x - 3n * x + B) % P
  const root = computePower((ySquared + P) % P, (P + 1n) / 4n)
  if ((root * root - ySquared) % P !== 0n) return undefined
  const y = Number(root & 1n) === prefix - 2 ? root : P - root
  return concatBytes(Uint8Array.of(4), xBytes, bytesFromHex(y.toString(16).padStart(COORDINATE_HEX, '0'))!)
}

function computePower(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let b = base, e = exponent; e > 0n; e >>= 1n, b = (b * b) % P) if (e & 1n) result = (result * b) % P
  return result
}
