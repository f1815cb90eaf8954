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

describe.skipIf(vectorsAbsent)('Wycheproof', () => {
  test('HKDF-SHA256: all 86, sizes beyond 255 blocks refused', () => {
    const seen = { valid: 0, refused: 0 }
    for (const { case: one } of wycheproofCases<object, HkdfCase>('wycheproof/hkdf_sha256_test.json')) {
      const derive = () => hkdfExpand(hkdfExtract(hex(one.salt), hex(one.ikm)), one.size, hex(one.info))
      if (one.result === 'valid') {
        expect(Buffer.from(derive()).toString('hex'), `tc ${one.tcId}`).toBe(one.okm)
        seen.valid += 1
      } else {
        expect(derive, `tc ${one.tcId}`).toThrow(RangeError)
        seen.refused += 1
      }
    }
    expect(seen).toEqual({ valid: 83, refused: 3 })
  })

  test('HKDF-Extract is HMAC-SHA256: all 174, truncated tags compared at their length', () => {
    const seen = { valid: 0, invalid: 0 }
    const cases = wycheproofCases<{ tagSize: number }, HmacCase>('wycheproof/hmac_sha256_test.json')
    for (const { group, case: one } of cases) {
      const tag = Buffer.from(hkdfExtract(hex(one.key), hex(one.msg))).subarray(0, group.tagSize / 8)
      const equal = tag.toString('hex') === one.tag
      expect(equal, `tc ${one.tcId}`).toBe(one.result === 'valid')
      if (one.result === 'valid') seen.valid += 1
      else seen.invalid += 1
    }
    expect(seen).toEqual({ valid: 66, invalid: 108 })
  })
})

test('parts are joined: where they are split makes no difference', () => {
  const [salt, key] = [Buffer.from('salt'), Buffer.from('key')]
  expect(hkdfExtract(salt, Buffer.from('ab'), Buffer.from('c'))).toEqual(
    hkdfExtract(salt, Buffer.from('abc')),
  )
  expect(hkdfExpand(key, 70, Buffer.from('a'), Buffer.from('bc'))).toEqual(
    hkdfExpand(key, 70, Buffer.from('abc')),
  )
})
