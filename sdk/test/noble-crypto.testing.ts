import { gcm } from '@noble/ciphers/aes.js'
import { p256 } from '@noble/curves/nist.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesFromBase64url, concatBytes } from '../src/crypto/bytes.ts'
import type { CryptoPort } from '../src/crypto/port.ts'

/** A key as this implementation keeps it, with the properties of a WebCrypto key. */
interface PlainKey {
  readonly type: 'public' | 'private' | 'secret'
  readonly algorithm: string
  readonly usages: readonly string[]
  readonly bytes: Uint8Array
}

type Source = ArrayBuffer | ArrayBufferView

const PKCS8_SCALAR_AT = 35

/** `CryptoPort` in plain JavaScript, as an app for a system without Web Crypto would give it. */
export function nobleCrypto(random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array): CryptoPort {
  const subtle = {
    async digest(_name: string, data: Source) {
      return bufferOf(sha256(bytesOf(data)))
    },
    async generateKey(algorithm: { name: string }, _extractable: boolean, usages: string[]) {
      const { secretKey } = p256.keygen(random(new Uint8Array(48)))
      const publicKey = p256.getPublicKey(secretKey, false)
      return {
        privateKey: key('private', algorithm.name, usages, secretKey),
        publicKey: key('public', algorithm.name, ['verify'], publicKey),
      }
    },
    async exportKey(format: string, { type, bytes }: PlainKey) {
      if (format !== 'raw' || type !== 'public') throw new Error('This key cannot be exported')
      return bufferOf(bytes)
    },
    async importKey(
      format: string,
      data: Source | JsonWebKey,
      algorithm: { name: string } | string,
      _: boolean,
      usages: string[],
    ) {
      const name = typeof algorithm === 'string' ? algorithm : algorithm.name
      if (format === 'jwk') return jwkKey(data as JsonWebKey, name, usages)
      const bytes = bytesOf(data as Source)
      if (format === 'pkcs8') return key('private', name, usages, valid(bytes.slice(PKCS8_SCALAR_AT)))
      if (name === 'HMAC' || name === 'AES-GCM') return key('secret', name, usages, bytes)
      return key('public', name, usages, p256.Point.fromBytes(bytes).toBytes(false))
    },
    async sign(_algorithm: { name: string } | string, { type, bytes }: PlainKey, data: Source) {
      if (type === 'secret') return bufferOf(hmac(sha256, bytes, bytesOf(data)))
      return bufferOf(p256.sign(bytesOf(data), bytes, { lowS: false }))
    },
    async verify(_: unknown, { type, bytes }: PlainKey, signature: Source, data: Source) {
      if (type === 'secret') return hmac(sha256, bytes, bytesOf(data)).join() === bytesOf(signature).join()
      return p256.verify(bytesOf(signature), bytesOf(data), bytes, { lowS: false })
    },
    async deriveBits(algorithm: { public: PlainKey }, { bytes }: PlainKey, bits: number) {
      return bufferOf(p256.getSharedSecret(bytes, algorithm.public.bytes).slice(1, 1 + bits / 8))
    },
    async encrypt(how: AesGcmParams, { bytes }: PlainKey, data: Source) {
      return bufferOf(gcm(bytes, bytesOf(how.iv), bytesOf(how.additionalData!)).encrypt(bytesOf(data)))
    },
    async decrypt(how: AesGcmParams, { bytes }: PlainKey, data: Source) {
      return bufferOf(gcm(bytes, bytesOf(how.iv), bytesOf(how.additionalData!)).decrypt(bytesOf(data)))
    },
  }
  return { subtle: subtle as unknown as CryptoPort['subtle'], getRandomValues: random }
}

function jwkKey({ x = '', y = '', d = '' }: JsonWebKey, name: string, usages: string[]): PlainKey {
  const scalar = valid(bytesFromBase64url(d))
  const point = concatBytes(Uint8Array.of(4), bytesFromBase64url(x), bytesFromBase64url(y))
  if (p256.getPublicKey(scalar, false).join() !== point.join()) throw new Error('The halves do not match')
  return key('private', name, usages, scalar)
}

function key(
  type: PlainKey['type'],
  algorithm: string,
  usages: readonly string[],
  bytes: Uint8Array,
): PlainKey {
  return { type, algorithm, usages, bytes }
}

function valid(scalar: Uint8Array): Uint8Array {
  if (!p256.utils.isValidSecretKey(scalar)) throw new Error('This is no private key')
  return scalar
}

function bytesOf(data: Source): Uint8Array {
  return data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}
