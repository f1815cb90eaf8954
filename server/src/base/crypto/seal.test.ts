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

describe.skipIf(vectorsAbsent)('Wycheproof AES-GCM', () => {
  const isOurs = ({ key, iv }: GcmCase) => key.length === 64 && iv.length === 24

  test('the 66 with our lengths (key 32, nonce 12, tag 16) seal and open as they say, at rest too', () => {
    const seen = { valid: 0, invalid: 0 }
    for (const { case: one } of wycheproofCases<object, GcmCase>('wycheproof/aes_gcm_test.json')) {
      if (!isOurs(one)) continue
      const [k, iv, aad, msg, sealed] = [
        hex(one.key),
        hex(one.iv),
        hex(one.aad),
        hex(one.msg),
        hex(one.ct + one.tag),
      ]
      const atRest = Buffer.concat([Buffer.of(1), iv, sealed])
      if (one.result === 'valid') {
        seen.valid += 1
        expect(gcmSeal(k, iv, aad, msg), `tc ${one.tcId}`).toEqual(sealed)
        expect(gcmOpen(k, iv, aad, sealed), `tc ${one.tcId}`).toEqual(msg)
        expect(openAtRest(k, atRest, aad), `tc ${one.tcId}`).toEqual(msg)
      } else {
        seen.invalid += 1
        expect(gcmOpen(k, iv, aad, sealed), `tc ${one.tcId}`).toBeUndefined()
        expect(openAtRest(k, atRest, aad), `tc ${one.tcId}`).toBeUndefined()
      }
    }
    expect(seen.valid + seen.invalid).toBe(66)
    expect(seen.valid).toBeGreaterThan(30)
    expect(seen.invalid).toBeGreaterThan(20)
  })

  // tc 268, 272, 276 (README) are among these: their nonces are not 12 bytes.
  test('the other 250, with other keys and nonces, are refused before any cipher runs', () => {
    let refused = 0
    for (const { case: one } of wycheproofCases<object, GcmCase>('wycheproof/aes_gcm_test.json')) {
      if (isOurs(one)) continue
      const [k, iv, aad] = [hex(one.key), hex(one.iv), hex(one.aad)]
      expect(() => gcmSeal(k, iv, aad, hex(one.msg)), `tc ${one.tcId}`).toThrow(RangeError)
      expect(() => gcmOpen(k, iv, aad, hex(one.ct + one.tag)), `tc ${one.tcId}`).toThrow(RangeError)
      refused += 1
    }
    expect(refused).toBe(250)
  })
})

describe('at rest', () => {
  test('a sealed secret opens again, is 29 bytes longer, and never looks the same twice', () => {
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

  test('every flipped bit and every shorter length fails', () => {
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

  test('it opens in its own place and with its own key only', () => {
    const sealed = sealAtRest(key, Buffer.from('a secret'), 'sessions.key/1')
    expect(openAtRest(key, sealed, 'sessions.key/2')).toBeUndefined()
    expect(openAtRest(hex('43'.repeat(32)), sealed, 'sessions.key/1')).toBeUndefined()
    expect(openAtRest(key, sealed, Buffer.from('sessions.key/1'))).toEqual(Buffer.from('a secret'))
  })

  test('a key of another length throws', () => {
    expect(() => sealAtRest(key.subarray(1), key, '')).toThrow(RangeError)
    expect(() => openAtRest(key.subarray(1), sealAtRest(key, key, ''), '')).toThrow(RangeError)
  })
})

test('a tag cut to 4 bytes is refused, which node:crypto alone would accept', () => {
  const sealed = gcmSeal(key, key.subarray(0, 12), Buffer.alloc(0), Buffer.from('x'))
  expect(gcmOpen(key, key.subarray(0, 12), Buffer.alloc(0), sealed.subarray(0, 5))).toBeUndefined()
  expect(gcmOpen(key, key.subarray(0, 12), Buffer.alloc(0), sealed)).toEqual(Buffer.from('x'))
})
