import {
  bytesFromBase64,
  bytesFromBase64url,
  bytesFromHex,
  hexFromBytes,
  readStringMembers,
  textFromUtf8,
} from './encodings.ts'
import { type KeyPair, parsePublicKey, signMessage, verifySignature } from './p256.ts'

const STAMP_CHARACTERS_MAX = 2048
const SCHEME = 'SIGNATURE_SCHEME_TK_API_P256'
const PROPERTIES = ['publicKey', 'scheme', 'signature'] as const
const COMPRESSED_LOWER_HEX = /^0[23][0-9a-f]{64}$/

/** A parsed `Svc-Wallet-Signature` header. */
export interface Stamp {
  /** A point on the curve, as 66 lower-case hex characters (compressed). */
  readonly publicKey: string
  /** DER as received. It can be rewritten, so it must not be used to detect replays. */
  readonly signature: Uint8Array
}

/**
 * Parses a `Svc-Wallet-Signature` value (specification 5.3, formats 4): base64url without padding, or
 * standard base64, of JSON `{"publicKey", "scheme", "signature"}`. Undefined means 401
 * `WALLET_SIGNATURE_MALFORMED`: longer than 2 KiB, a non-canonical encoding, other or duplicate properties,
 * an unknown scheme, a key that is not a point on the curve as 66 lower-case hex characters, or a signature
 * that is not hex. Never throws.
 */
export function parseStamp(headerValue: string): Stamp | undefined {
  if (headerValue.length > STAMP_CHARACTERS_MAX) return undefined
  const bytes = bytesFromBase64url(headerValue) ?? bytesFromBase64(headerValue)
  const text = bytes && textFromUtf8(bytes)
  const properties = text === undefined ? undefined : readStringMembers(text, PROPERTIES)
  if (properties === undefined || properties.scheme !== SCHEME) return undefined
  const { publicKey } = properties
  if (!COMPRESSED_LOWER_HEX.test(publicKey) || parsePublicKey(publicKey) === undefined) return undefined
  const signature = bytesFromHex(properties.signature)
  return signature && { publicKey, signature }
}

/** Verifies the stamp's signature over the exact UTF-8 bytes of `payloadToSign`. Never throws. */
export function verifyStamp(stamp: Stamp, payloadToSign: string): boolean {
  const publicKey = parsePublicKey(stamp.publicKey)
  return (
    publicKey !== undefined && verifySignature(publicKey, Buffer.from(payloadToSign, 'utf8'), stamp.signature)
  )
}

/** Creates a client's stamp over `payloadToSign`, for tests and simulators. */
export function makeStamp(keyPair: KeyPair, payloadToSign: string): string {
  const stamp = {
    publicKey: keyPair.publicKey.compressedHex,
    scheme: SCHEME,
    signature: hexFromBytes(signMessage(keyPair, Buffer.from(payloadToSign, 'utf8'))),
  }
  return Buffer.from(JSON.stringify(stamp), 'utf8').toString('base64url')
}
