import { type Bytes, bytesFromHex, hexFromBytes } from './bytes.ts'
import { derFromRawSignature, rawSignatureFromDer } from './der.ts'
import { webCrypto } from './port.ts'

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256' } as const
const ECDH = { name: 'ECDH', namedCurve: 'P-256' } as const
const ECDSA_SHA256 = { name: 'ECDSA', hash: 'SHA-256' } as const
const UNCOMPRESSED_HEX = /^04[0-9a-fA-F]{128}$/

/** A new P-256 key pair for signatures. The private key cannot be exported, only used. */
export async function generateSigningKeyPair(): Promise<CryptoKeyPair> {
  return await webCrypto().subtle.generateKey(ECDSA, false, ['sign', 'verify'])
}

/** A new P-256 key pair for receiving sealed secrets. The private key cannot be exported, only used. */
export async function generateRecipientKeyPair(): Promise<CryptoKeyPair> {
  return await webCrypto().subtle.generateKey(ECDH, false, ['deriveBits'])
}

/** The public key of a pair as 65 bytes: 0x04 ‖ X ‖ Y. */
export async function exportPublicKey(keyPair: CryptoKeyPair): Promise<Bytes> {
  return new Uint8Array(await webCrypto().subtle.exportKey('raw', keyPair.publicKey))
}

/** 65 bytes to 66 hex characters: the parity of Y, then X. */
export function compressToHex(uncompressed: Uint8Array): string {
  return hexFromBytes(Uint8Array.of(2 + (uncompressed[64]! & 1), ...uncompressed.subarray(1, 33)))
}

/** Bytes of an uncompressed public key in 130 hex characters; undefined for anything else. */
export function pointFromHex(hex: string): Bytes | undefined {
  return UNCOMPRESSED_HEX.test(hex) ? bytesFromHex(hex) : undefined
}

/** DER signature, ECDSA with SHA-256, over `message`. */
export async function sign(privateKey: CryptoKey, message: Bytes): Promise<Bytes> {
  return derFromRawSignature(new Uint8Array(await webCrypto().subtle.sign(ECDSA_SHA256, privateKey, message)))
}

/** True if a DER signature over `message` is by `publicKey` (65 bytes). False if that is not a point. */
export async function verify(publicKey: Bytes, message: Bytes, der: Uint8Array): Promise<boolean> {
  const raw = rawSignatureFromDer(der)
  return raw !== undefined && verifyRaw(publicKey, message, raw)
}

/** Verifies a signature of r ‖ s, 64 bytes, as in tokens. */
export async function verifyRaw(publicKey: Bytes, message: Bytes, raw: Bytes): Promise<boolean> {
  const key = await webCrypto()
    .subtle.importKey('raw', publicKey, ECDSA, false, ['verify'])
    .catch(() => undefined)
  return key !== undefined && (await webCrypto().subtle.verify(ECDSA_SHA256, key, raw, message))
}
