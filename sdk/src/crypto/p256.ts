import { type Bytes, bytesFromHex, hexFromBytes } from './bytes.ts'
import { derFromRawSignature, rawSignatureFromDer } from './der.ts'
import { getWebCrypto } from './port.ts'

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256' } as const
const ECDH = { name: 'ECDH', namedCurve: 'P-256' } as const
const ECDSA_SHA256 = { name: 'ECDSA', hash: 'SHA-256' } as const
const UNCOMPRESSED_HEX = /^04[0-9a-fA-F]{128}$/

/** Generates a P-256 key pair for signatures. The private key cannot be exported. */
export async function generateSigningKeyPair(): Promise<CryptoKeyPair> {
  return await getWebCrypto().subtle.generateKey(ECDSA, false, ['sign', 'verify'])
}

/** Generates a P-256 key pair for receiving sealed secrets. The private key cannot be exported. */
export async function generateRecipientKeyPair(): Promise<CryptoKeyPair> {
  return await getWebCrypto().subtle.generateKey(ECDH, false, ['deriveBits'])
}

/** Exports the public key as 65 bytes: 0x04 ‖ X ‖ Y. */
export async function exportPublicKey(keyPair: CryptoKeyPair): Promise<Bytes> {
  return new Uint8Array(await getWebCrypto().subtle.exportKey('raw', keyPair.publicKey))
}

/** Converts an uncompressed point of 65 bytes to 66 hex characters: the parity of Y, then X. */
export function compressToHex(uncompressed: Uint8Array): string {
  return hexFromBytes(Uint8Array.of(2 + (uncompressed[64]! & 1), ...uncompressed.subarray(1, 33)))
}

/** Decodes an uncompressed public key from 130 hex characters. Undefined for anything else. */
export function pointFromHex(hex: string): Bytes | undefined {
  return UNCOMPRESSED_HEX.test(hex) ? bytesFromHex(hex) : undefined
}

/** Signs `message` with ECDSA and SHA-256. Returns DER. */
export async function sign(privateKey: CryptoKey, message: Bytes): Promise<Bytes> {
  return derFromRawSignature(
    new Uint8Array(await getWebCrypto().subtle.sign(ECDSA_SHA256, privateKey, message)),
  )
}

/**
 * Verifies a DER signature over `message` by `publicKey` (65 bytes). False if the key is not a point on the
 * curve.
 */
export async function verify(publicKey: Bytes, message: Bytes, der: Uint8Array): Promise<boolean> {
  const raw = rawSignatureFromDer(der)
  return raw !== undefined && verifyRaw(publicKey, message, raw)
}

/** Verifies a signature in the format r ‖ s (64 bytes), which tokens use. */
export async function verifyRaw(publicKey: Bytes, message: Bytes, raw: Bytes): Promise<boolean> {
  const key = await getWebCrypto()
    .subtle.importKey('raw', publicKey, ECDSA, false, ['verify'])
    .catch(() => undefined)
  return key !== undefined && (await getWebCrypto().subtle.verify(ECDSA_SHA256, key, raw, message))
}
