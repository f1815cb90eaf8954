import { type Bytes, concatBytes } from './bytes.ts'

const SCALAR_BYTES = 32
const SEQUENCE = 0x30
const INTEGER = 0x02

/**
 * Converts a P-256 signature from Web Crypto's format (r ‖ s, 32 bytes each) to DER: a SEQUENCE of two
 * minimal INTEGERs, 8 to 72 bytes. Throws TypeError if the length is wrong.
 */
export function derFromRawSignature(raw: Uint8Array): Bytes {
  if (raw.length !== 2 * SCALAR_BYTES) throw new TypeError('a raw P-256 signature is 64 bytes')
  const body = concatBytes(
    encodeInteger(raw.subarray(0, SCALAR_BYTES)),
    encodeInteger(raw.subarray(SCALAR_BYTES)),
  )
  return concatBytes(Uint8Array.of(SEQUENCE, body.length), body)
}

/**
 * Converts a DER signature to r ‖ s, the format that Web Crypto verifies. Undefined if it is not DER with two
 * P-256 numbers.
 */
export function rawSignatureFromDer(der: Uint8Array): Bytes | undefined {
  if (der[0] !== SEQUENCE || der[1] !== der.length - 2) return undefined
  const r = readInteger(der, 2)
  const s = r && readInteger(der, r.end)
  if (!r || !s || s.end !== der.length) return undefined
  return concatBytes(r.value, s.value)
}

function encodeInteger(scalar: Uint8Array): Bytes {
  let start = 0
  while (start < scalar.length - 1 && scalar[start] === 0) start++
  const digits = scalar.subarray(start)
  // A leading 1 bit would make the number negative, so a zero byte is inserted.
  const padding = digits[0]! >= 0x80 ? [0] : []
  return concatBytes(Uint8Array.of(INTEGER, padding.length + digits.length, ...padding), digits)
}

function readInteger(der: Uint8Array, at: number): { value: Bytes; end: number } | undefined {
  const length = der[at + 1]
  if (der[at] !== INTEGER || length === undefined || length === 0) return undefined
  const end = at + 2 + length
  const bytes = der.subarray(at + 2, end)
  if (bytes.length !== length || bytes[0]! >= 0x80) return undefined
  if (bytes[0] === 0 && length > 1 && bytes[1]! < 0x80) return undefined
  const digits = bytes[0] === 0 ? bytes.subarray(1) : bytes
  if (digits.length > SCALAR_BYTES) return undefined
  const value = new Uint8Array(SCALAR_BYTES)
  value.set(digits, SCALAR_BYTES - digits.length)
  return { value, end }
}
