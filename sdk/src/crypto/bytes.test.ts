import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  base64FromBytes,
  base64urlFromBytes,
  bytesFromHex,
  bytesFromText,
  concatBytes,
  hexFromBytes,
  textFromBytes,
} from './bytes.ts'

describe('bytes', () => {
  test('are encoded as by Buffer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(hexFromBytes(bytes)).toBe(Buffer.from(bytes).toString('hex'))
        expect(base64FromBytes(bytes)).toBe(Buffer.from(bytes).toString('base64'))
        expect(base64urlFromBytes(bytes)).toBe(Buffer.from(bytes).toString('base64url'))
        expect(bytesFromHex(hexFromBytes(bytes))).toEqual(new Uint8Array(bytes))
      }),
    )
  })

  test('text in any script is encoded and decoded without change', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(textFromBytes(bytesFromText(text))).toBe(text)
      }),
    )
  })

  test.each(['0', '0g', ' 00', '00 ', '0x00', 'zz'])('%j is not hex', (text) => {
    expect(bytesFromHex(text)).toBeUndefined()
  })

  test('are concatenated in order', () => {
    expect(concatBytes(Uint8Array.of(1), new Uint8Array(0), Uint8Array.of(2, 3))).toEqual(
      Uint8Array.of(1, 2, 3),
    )
  })
})
