import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gcmOpen, gcmSeal } from './aes-gcm.ts'
import { HPKE_INFO, open, seal, setUpRecipient, setUpSender } from './hpke.ts'
import { generateKeyPair, parsePublicKey, toKeyPair } from './p256.ts'
import { hex, readVectors, vectorsAbsent } from './vectors.testing.ts'

interface Rfc9180Vector {
  mode: number
  kem_id: number
  kdf_id: number
  aead_id: number
  info: string
  skRm: string
  skEm: string
  pkRm: string
  enc: string
  key: string
  base_nonce: string
  encryptions: { aad: string; ct: string; nonce: string; pt: string }[]
}

/** ComputeNonce (RFC 9180 section 5.2). Single shot, the server's only use, stays at 0. */
function nonceAt(baseNonce: Uint8Array, sequenceNumber: number): Buffer {
  const nonce = Buffer.from(baseNonce)
  nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ sequenceNumber) >>> 0, 8)
  return nonce
}

describe.skipIf(vectorsAbsent)('RFC 9180 vectors for our cipher suite', () => {
  // Out of scope, because no format uses them: modes 1 to 3 (psk, auth, auth_psk) and exports.
  test('base mode matches the key schedule and all 257 encryptions in both directions', () => {
    const vectors = readVectors<Rfc9180Vector[]>('hpke/rfc9180_p256_sha256_aes256gcm.json')
    const base = vectors.filter(({ mode }) => mode === 0)
    expect(base.map(({ kem_id, kdf_id, aead_id }) => [kem_id, kdf_id, aead_id])).toEqual([[16, 1, 2]])
    const vector = base[0]!
    const recipient = toKeyPair(hex(vector.skRm))
    expect(recipient.publicKey.uncompressedHex).toBe(vector.pkRm)
    const info = hex(vector.info)
    const ephemeral = toKeyPair(hex(vector.skEm))
    const sender = setUpSender(parsePublicKey(vector.pkRm)!, info, ephemeral)
    const receiver = setUpRecipient(recipient, hex(vector.enc), info)!
    for (const context of [sender, receiver]) {
      expect(Buffer.from(context.enc)).toEqual(hex(vector.enc))
      expect(context.key).toEqual(hex(vector.key))
      expect(context.baseNonce).toEqual(hex(vector.base_nonce))
    }
    let run = 0
    for (const [sequenceNumber, encryption] of vector.encryptions.entries()) {
      const [aad, pt, ct] = [hex(encryption.aad), hex(encryption.pt), hex(encryption.ct)]
      const nonce = nonceAt(sender.baseNonce, sequenceNumber)
      expect(nonce).toEqual(hex(encryption.nonce))
      expect(gcmSeal(sender.key, nonce, aad, pt)).toEqual(ct)
      expect(gcmOpen(receiver.key, nonce, aad, ct)).toEqual(pt)
      run += 1
    }
    expect(run).toBe(257)
    const first = vector.encryptions[0]!
    const single = {
      privateKey: recipient,
      enc: hex(vector.enc),
      info,
      aad: hex(first.aad),
      ciphertext: hex(first.ct),
    }
    expect(open(single)).toEqual(hex(first.pt))
  })
})

describe('HPKE single shot', () => {
  const recipient = generateKeyPair()
  const plaintext = Buffer.from('attack at dawn')

  test('a sealed message opens with the private scalar and with the key pair', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const { enc, ciphertext } = seal({ recipientPublicKey: recipient.publicKey, plaintext: bytes })
        expect([enc.length, enc[0], ciphertext.length]).toEqual([65, 4, bytes.length + 16])
        expect(open({ privateKey: recipient, enc, ciphertext })).toEqual(Buffer.from(bytes))
        expect(open({ privateKey: recipient.privateKey, enc, ciphertext })).toEqual(Buffer.from(bytes))
      }),
      { numRuns: 30 },
    )
  })

  test('info and aad default to the values in formats 1', () => {
    const { enc, ciphertext } = seal({ recipientPublicKey: recipient.publicKey, plaintext })
    const info = Buffer.from('turnkey_hpke')
    const aad = Buffer.concat([enc, recipient.publicKey.bytes])
    expect(Buffer.from(HPKE_INFO)).toEqual(info)
    expect(open({ privateKey: recipient, enc, ciphertext, info, aad })).toEqual(plaintext)
    expect(open({ privateKey: recipient, enc, ciphertext, info: Buffer.alloc(0) })).toBeUndefined()
    expect(open({ privateKey: recipient, enc, ciphertext, aad: Buffer.alloc(0) })).toBeUndefined()
  })

  test('a sealed message does not open with another key or after a change', () => {
    const { enc, ciphertext } = seal({ recipientPublicKey: recipient.publicKey, plaintext })
    expect(open({ privateKey: generateKeyPair(), enc, ciphertext })).toBeUndefined()
    for (let length = 0; length < ciphertext.length; length += 1) {
      expect(open({ privateKey: recipient, enc, ciphertext: ciphertext.subarray(0, length) })).toBeUndefined()
    }
  })

  test('a message does not open unless enc is an uncompressed point on the curve', () => {
    const { enc, ciphertext } = seal({ recipientPublicKey: recipient.publicKey, plaintext })
    const hybrid = Uint8Array.from(enc)
    hybrid[0] = 6 + (enc[64]! & 1)
    const offCurve = Uint8Array.from(enc)
    offCurve[64]! ^= 1
    const compressed = Uint8Array.of(2 + (enc[64]! & 1), ...enc.subarray(1, 33))
    for (const bad of [
      hybrid,
      offCurve,
      compressed,
      new Uint8Array(65),
      new Uint8Array(0),
      enc.subarray(0, 64),
    ]) {
      expect(open({ privateKey: recipient, enc: bad, ciphertext })).toBeUndefined()
    }
  })

  test('arbitrary bytes do not open, and nothing is thrown', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.uint8Array({ maxLength: 80 }), (enc, ciphertext) => {
        expect(open({ privateKey: recipient, enc, ciphertext })).toBeUndefined()
        const point = recipient.publicKey.bytes
        expect(open({ privateKey: recipient, enc: point, ciphertext })).toBeUndefined()
      }),
      { numRuns: 100 },
    )
  })
})
