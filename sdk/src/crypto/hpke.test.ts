import { describe, expect, test } from 'vitest'
import * as server from '../../../server/src/crypto/hpke.ts'
import { generateKeyPair } from '../../../server/src/crypto/p256.ts'
import { readVectors, vectorsAbsent } from '../../../server/src/crypto/vectors.testing.ts'
import { base64urlFromBytes, bytesFromHex, bytesFromText, hexFromBytes } from './bytes.ts'
import { deriveKeys, open, seal } from './hpke.ts'
import { generateRecipientKeyPair, uncompressedPublicKey } from './p256.ts'

const ECDH = { name: 'ECDH', namedCurve: 'P-256' } as const
const plaintext = bytesFromText('attack at dawn')

type Vector = Readonly<Record<'skRm' | 'pkRm' | 'enc' | 'info' | 'key' | 'base_nonce', string>> & {
  readonly mode: number
}

test.skipIf(vectorsAbsent)('key and nonce are those of RFC 9180', async () => {
  const vectors = readVectors<Vector[]>('hpke/rfc9180_p256_sha256_aes256gcm.json')
  const { skRm, pkRm, enc, info, key, base_nonce } = vectors.find(({ mode }) => mode === 0)!
  const bytes = (hex: string) => bytesFromHex(hex)!
  const part = (hex: string, from: number) => base64urlFromBytes(bytes(hex).subarray(from, from + 32))
  const jwk = { kty: 'EC', crv: 'P-256', x: part(pkRm, 1), y: part(pkRm, 33), d: part(skRm, 0) }
  const recipient = await crypto.subtle.importKey('jwk', jwk, ECDH, false, ['deriveBits'])
  const sender = await crypto.subtle.importKey('raw', bytes(enc), ECDH, false, [])
  const shared = new Uint8Array(
    await crypto.subtle.deriveBits({ name: 'ECDH', public: sender }, recipient, 256),
  )
  const keys = await deriveKeys(shared, bytes(enc), bytes(pkRm), bytes(info))
  expect(hexFromBytes(keys.key)).toBe(key)
  expect(hexFromBytes(keys.nonce)).toBe(base_nonce)
})

describe('one message', () => {
  test('the server opens what the sdk seals', async () => {
    const recipient = generateKeyPair()
    const sealed = await seal(Uint8Array.from(recipient.publicKey.bytes), plaintext)
    expect(server.open({ privateKey: recipient, ...sealed })).toEqual(Buffer.from(plaintext))
  })

  test('the sdk opens what it seals, also where it is empty', async () => {
    const recipient = await generateRecipientKeyPair()
    for (const message of [plaintext, new Uint8Array(0)]) {
      const { enc, ciphertext } = await seal(await uncompressedPublicKey(recipient), message)
      expect([enc.length, ciphertext.length]).toEqual([65, message.length + 16])
      expect(await open(recipient, enc, ciphertext)).toEqual(message)
    }
  })

  test('nothing opens for another key, changed, or from what is not a point of the curve', async () => {
    const recipient = await generateRecipientKeyPair()
    const { enc, ciphertext } = await seal(await uncompressedPublicKey(recipient), plaintext)
    expect(await open(await generateRecipientKeyPair(), enc, ciphertext)).toBeUndefined()
    for (let length = 0; length < ciphertext.length; length += 1)
      expect(await open(recipient, enc, ciphertext.slice(0, length))).toBeUndefined()
    const offCurve = enc.slice()
    offCurve[64]! ^= 1
    for (const bad of [offCurve, enc.slice(0, 64), new Uint8Array(0), new Uint8Array(65)])
      expect(await open(recipient, bad, ciphertext)).toBeUndefined()
    await expect(seal(offCurve, plaintext)).rejects.toThrow()
  })
})
