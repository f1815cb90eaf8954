import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gcmOpen, gcmSeal } from './aes-gcm.ts'
import { openAtRest, sealAtRest } from './seal.ts'
import { hex, vectorsAbsent, type WycheproofCase, wycheproofCases } from './vectors.testing.ts'

interface GcmCase extends WycheproofCase {
  key: string
  iv: string
  aad: string
  msg: string
  ct: string
  tag: string
}

const key = hex('42'.repeat(32))

describe.skipIf(vectorsAbsent)('Wycheproof AES-GCM vectors', () => {
  const isOurs = ({ key, iv }: GcmCase) => key.length === 64 && iv.length === 24

  test('all 66 cases with our lengths (key 32, nonce 12, tag 16) pass, also in the format for data at rest', () => {
    const counts = { valid: 0, invalid: 0 }
    for (const { case: vector } of wycheproofCases<object, GcmCase>('wycheproof/aes_gcm_test.json')) {
      if (!isOurs(vector)) continue
      const [k, iv, aad, msg, sealed] = [
        hex(vector.key),
        hex(vector.iv),
        hex(vector.aad),
        hex(vector.msg),
        hex(vector.ct + vector.tag),
      ]
      const atRest = Buffer.concat([Buffer.of(1), iv, sealed])
      if (vector.result === 'valid') {
        counts.valid += 1
        expect(gcmSeal(k, iv, aad, msg), `tc ${vector.tcId}`).toEqual(sealed)
        expect(gcmOpen(k, iv, aad, sealed), `tc ${vector.tcId}`).toEqual(msg)
        expect(openAtRest(k, atRest, aad), `tc ${vector.tcId}`).toEqual(msg)
      } else {
        counts.invalid += 1
        expect(gcmOpen(k, iv, aad, sealed), `tc ${vector.tcId}`).toBeUndefined()
        expect(openAtRest(k, atRest, aad), `tc ${vector.tcId}`).toBeUndefined()
      }
    }
    expect(counts.valid + counts.invalid).toBe(66)
    expect(counts.valid).toBeGreaterThan(30)
    expect(counts.invalid).toBeGreaterThan(20)
  })

  // tc 268, 272, 276 (README) are among these: their nonces are not 12 bytes.
  test('all 250 cases with other lengths of keys and nonces are rejected before any cipher runs', () => {
    let refused = 0
    for (const { case: vector } of wycheproofCases<object, GcmCase>('wycheproof/aes_gcm_test.json')) {
      if (isOurs(vector)) continue
      const [k, iv, aad] = [hex(vector.key), hex(vector.iv), hex(vector.aad)]
      expect(() => gcmSeal(k, iv, aad, hex(vector.msg)), `tc ${vector.tcId}`).toThrow(RangeError)
      expect(() => gcmOpen(k, iv, aad, hex(vector.ct + vector.tag)), `tc ${vector.tcId}`).toThrow(RangeError)
      refused += 1
    }
    expect(refused).toBe(250)
  })
})

describe('a secret sealed for the database', () => {
  test('opens again, is 29 bytes longer, and is different each time it is sealed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (plaintext, associatedData) => {
        const sealed = sealAtRest(key, plaintext, associatedData)
        expect(sealed[0]).toBe(1)
        expect(sealed.length).toBe(plaintext.length + 29)
        expect(Buffer.from(openAtRest(key, sealed, associatedData)!)).toEqual(Buffer.from(plaintext))
        expect(sealAtRest(key, plaintext, associatedData)).not.toEqual(sealed)
      }),
    )
  })

  test('does not open after a flipped bit or if it is truncated', () => {
    const sealed = sealAtRest(key, Buffer.from('a secret'), 'sessions.key/1')
    let tried = 0
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Uint8Array.from(sealed)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      expect(openAtRest(key, changed, 'sessions.key/1')).toBeUndefined()
      tried += 1
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(openAtRest(key, sealed.subarray(0, length), 'sessions.key/1')).toBeUndefined()
    }
    expect(tried).toBe(37 * 8)
  })

  test('opens only in the place and with the key for which it was sealed', () => {
    const sealed = sealAtRest(key, Buffer.from('a secret'), 'sessions.key/1')
    expect(openAtRest(key, sealed, 'sessions.key/2')).toBeUndefined()
    expect(openAtRest(hex('43'.repeat(32)), sealed, 'sessions.key/1')).toBeUndefined()
    expect(openAtRest(key, sealed, Buffer.from('sessions.key/1'))).toEqual(Buffer.from('a secret'))
  })

  test('cannot be sealed with a key of another length', () => {
    expect(() => sealAtRest(key.subarray(1), key, '')).toThrow(RangeError)
    expect(() => openAtRest(key.subarray(1), sealAtRest(key, key, ''), '')).toThrow(RangeError)
  })
})

test('AES-GCM rejects a tag cut to 4 bytes, which node:crypto alone would accept', () => {
  const sealed = gcmSeal(key, key.subarray(0, 12), Buffer.alloc(0), Buffer.from('x'))
  expect(gcmOpen(key, key.subarray(0, 12), Buffer.alloc(0), sealed.subarray(0, 5))).toBeUndefined()
  expect(gcmOpen(key, key.subarray(0, 12), Buffer.alloc(0), sealed)).toEqual(Buffer.from('x'))
})
