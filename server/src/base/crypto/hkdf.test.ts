import { describe, expect, test } from 'vitest'
import { hkdfExpand, hkdfExtract } from './hkdf.ts'
import { hex, vectorsAbsent, type WycheproofCase, wycheproofCases } from './vectors.testing.ts'

interface HkdfCase extends WycheproofCase {
  ikm: string
  salt: string
  info: string
  size: number
  okm: string
}
interface HmacCase extends WycheproofCase {
  key: string
  msg: string
  tag: string
}

describe.skipIf(vectorsAbsent)('Wycheproof vectors', () => {
  test('all 86 HKDF-SHA256 cases pass, and outputs beyond 255 blocks are rejected', () => {
    const counts = { valid: 0, refused: 0 }
    for (const { case: vector } of wycheproofCases<object, HkdfCase>('wycheproof/hkdf_sha256_test.json')) {
      const derive = () =>
        hkdfExpand(hkdfExtract(hex(vector.salt), hex(vector.ikm)), vector.size, hex(vector.info))
      if (vector.result === 'valid') {
        expect(Buffer.from(derive()).toString('hex'), `tc ${vector.tcId}`).toBe(vector.okm)
        counts.valid += 1
      } else {
        expect(derive, `tc ${vector.tcId}`).toThrow(RangeError)
        counts.refused += 1
      }
    }
    expect(counts).toEqual({ valid: 83, refused: 3 })
  })

  test('HKDF-Extract passes all 174 HMAC-SHA256 cases, with truncated tags compared at their length', () => {
    const counts = { valid: 0, invalid: 0 }
    const cases = wycheproofCases<{ tagSize: number }, HmacCase>('wycheproof/hmac_sha256_test.json')
    for (const { group, case: vector } of cases) {
      const tag = Buffer.from(hkdfExtract(hex(vector.key), hex(vector.msg))).subarray(0, group.tagSize / 8)
      const equal = tag.toString('hex') === vector.tag
      expect(equal, `tc ${vector.tcId}`).toBe(vector.result === 'valid')
      if (vector.result === 'valid') counts.valid += 1
      else counts.invalid += 1
    }
    expect(counts).toEqual({ valid: 66, invalid: 108 })
  })
})

test('HKDF gives the same result however its input is split into parts', () => {
  const [salt, key] = [Buffer.from('salt'), Buffer.from('key')]
  expect(hkdfExtract(salt, Buffer.from('ab'), Buffer.from('c'))).toEqual(
    hkdfExtract(salt, Buffer.from('abc')),
  )
  expect(hkdfExpand(key, 70, Buffer.from('a'), Buffer.from('bc'))).toEqual(
    hkdfExpand(key, 70, Buffer.from('abc')),
  )
})
