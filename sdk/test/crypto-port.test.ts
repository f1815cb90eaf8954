import { randomFillSync } from 'node:crypto'
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { gcm } from '@noble/ciphers/aes.js'
import { p256 } from '@noble/curves/nist.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { bytesFromBase64url, bytesFromText, concatBytes } from '../src/crypto/bytes.ts'
import { open, seal } from '../src/crypto/hpke.ts'
import { exportPublicKey, generateRecipientKeyPair } from '../src/crypto/p256.ts'
import { type CryptoPort, setCrypto } from '../src/crypto/port.ts'
import { DeviceKey } from '../src/wallet/device-key.ts'
import { makeClient, makeFundedCustomer, makeQuote } from './platform.testing.ts'

const noble = nobleCrypto((bytes) => randomFillSync(bytes))
const INFO = bytesFromText('turnkey_hpke')
const suite = new CipherSuite({
  kem: new DhkemP256HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
})

afterEach(() => {
  setCrypto(undefined)
  vi.unstubAllGlobals()
})

describe.each([
  ["the platform's own Web Crypto", undefined],
  ['an implementation in JavaScript', noble],
])('with %s', (_name, port) => {
  test('a message sealed here is opened by another implementation of HPKE', async () => {
    const { privateKey, publicKey } = await suite.kem.generateKeyPair()
    const raw = new Uint8Array(await suite.kem.serializePublicKey(publicKey))
    setCrypto(port)
    const { enc, ciphertext } = await seal(raw, bytesFromText('secret'))
    const context = await suite.createRecipientContext({ recipientKey: privateKey, enc, info: INFO })
    const opened = await context.open(ciphertext, concatBytes(enc, raw))
    expect(new TextDecoder().decode(opened)).toBe('secret')
  })

  test('a message sealed by another implementation of HPKE is opened here, unless it was changed', async () => {
    setCrypto(port)
    const pair = await generateRecipientKeyPair()
    const raw = await exportPublicKey(pair)
    const recipientPublicKey = await suite.kem.deserializePublicKey(raw)
    const context = await suite.createSenderContext({ recipientPublicKey, info: INFO })
    const enc = new Uint8Array(context.enc)
    const sealed = new Uint8Array(await context.seal(bytesFromText('secret'), concatBytes(enc, raw)))
    expect(await open(pair, enc, sealed)).toEqual(bytesFromText('secret'))
    sealed[0]! ^= 1
    expect(await open(pair, enc, sealed)).toBeUndefined()
  })

  test('a message sealed here is opened here', async () => {
    setCrypto(port)
    const pair = await generateRecipientKeyPair()
    const { enc, ciphertext } = await seal(await exportPublicKey(pair), bytesFromText('secret'))
    expect(await open(pair, enc, ciphertext)).toEqual(bytesFromText('secret'))
    const other = await generateRecipientKeyPair()
    expect(await open(other, enc, ciphertext)).toBeUndefined()
  })
})

describe('without Web Crypto', () => {
  test('an error says in one sentence what to provide', async () => {
    vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => randomFillSync(bytes) })
    await expect(DeviceKey.generate()).rejects.toThrow(
      /^Web Crypto is missing here .*: give the sdk an implementation with setCrypto\(\)\.$/,
    )
    vi.stubGlobal('crypto', undefined)
    await expect(DeviceKey.generate()).rejects.toThrow('setCrypto()')
  })

  test('a wallet signs in by code, pays, gets another session, and is exported', async () => {
    // Like React Native, which has randomness and no SubtleCrypto.
    vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => randomFillSync(bytes) })
    setCrypto(noble)
    const countersign = await makeClient()
    const customer = await makeFundedCustomer(countersign, { email: 'ada@example.com', amount: 50_000_000n })
    const wallet = countersign.wallet(customer.walletId, {
      confirm: () => true,
    })
    const session = await wallet.email.signIn({ code: '000000' })
    const quote = await makeQuote(countersign, { from: customer.walletId, to: customer.bankId, amount: 100n })
    const paid = await countersign.quotes.execute(quote.id, { signer: session })
    expect(paid.status).toBe('PROCESSING')
    expect((await session.refresh()).id).not.toBe(session.id)
    expect((await wallet.export(session)).split(' ')).toHaveLength(24)
  })
})

/** This implementation's key, with the properties of a Web Crypto key. */
interface PlainKey {
  readonly type: 'public' | 'private' | 'secret'
  readonly algorithm: string
  readonly usages: readonly string[]
  readonly bytes: Uint8Array
}

type Source = ArrayBuffer | ArrayBufferView

const PKCS8_SCALAR_AT = 35

/** `CryptoPort` in plain JavaScript, as an app on a system without Web Crypto would provide it. */
function nobleCrypto(random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array): CryptoPort {
  const subtle = {
    async digest(_name: string, data: Source) {
      return toBuffer(sha256(toBytes(data)))
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
      return toBuffer(bytes)
    },
    async importKey(
      format: string,
      data: Source | JsonWebKey,
      algorithm: { name: string } | string,
      _: boolean,
      usages: string[],
    ) {
      const name = typeof algorithm === 'string' ? algorithm : algorithm.name
      if (format === 'jwk') return importJwk(data as JsonWebKey, name, usages)
      const bytes = toBytes(data as Source)
      if (format === 'pkcs8') return key('private', name, usages, requireValid(bytes.slice(PKCS8_SCALAR_AT)))
      if (name === 'HMAC' || name === 'AES-GCM') return key('secret', name, usages, bytes)
      return key('public', name, usages, p256.Point.fromBytes(bytes).toBytes(false))
    },
    async sign(_algorithm: { name: string } | string, { type, bytes }: PlainKey, data: Source) {
      if (type === 'secret') return toBuffer(hmac(sha256, bytes, toBytes(data)))
      return toBuffer(p256.sign(toBytes(data), bytes, { lowS: false }))
    },
    async verify(_: unknown, { type, bytes }: PlainKey, signature: Source, data: Source) {
      if (type === 'secret') return hmac(sha256, bytes, toBytes(data)).join() === toBytes(signature).join()
      return p256.verify(toBytes(signature), toBytes(data), bytes, { lowS: false })
    },
    async deriveBits(algorithm: { public: PlainKey }, { bytes }: PlainKey, bits: number) {
      return toBuffer(p256.getSharedSecret(bytes, algorithm.public.bytes).slice(1, 1 + bits / 8))
    },
    async encrypt(how: AesGcmParams, { bytes }: PlainKey, data: Source) {
      return toBuffer(gcm(bytes, toBytes(how.iv), toBytes(how.additionalData!)).encrypt(toBytes(data)))
    },
    async decrypt(how: AesGcmParams, { bytes }: PlainKey, data: Source) {
      return toBuffer(gcm(bytes, toBytes(how.iv), toBytes(how.additionalData!)).decrypt(toBytes(data)))
    },
  }
  return { subtle: subtle as unknown as CryptoPort['subtle'], getRandomValues: random }
}

function importJwk({ x = '', y = '', d = '' }: JsonWebKey, name: string, usages: string[]): PlainKey {
  const scalar = requireValid(bytesFromBase64url(d))
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

function requireValid(scalar: Uint8Array): Uint8Array {
  if (!p256.utils.isValidSecretKey(scalar)) throw new Error('This is no private key')
  return scalar
}

function toBytes(data: Source): Uint8Array {
  return data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
}

function toBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}
