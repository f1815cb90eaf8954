import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bytesFromBase64,
  bytesFromBase64url,
  bytesFromHex,
  hexFromBytes,
  jsonFromUtf8,
  readStringMembers,
  textFromUtf8,
} from './encodings.ts'

describe('encodings', () => {
  test('bytes survive a round trip through hex in either case and through base64 and base64url', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (array) => {
        const bytes = Buffer.from(array)
        expect(bytesFromHex(hexFromBytes(bytes))).toEqual(bytes)
        expect(bytesFromHex(hexFromBytes(bytes).toUpperCase())).toEqual(bytes)
        expect(bytesFromBase64url(bytes.toString('base64url'))).toEqual(bytes)
        expect(bytesFromBase64(bytes.toString('base64'))).toEqual(bytes)
      }),
    )
  })

  test('hex is rejected unless it consists of whole bytes in a single case', () => {
    for (const bad of ['', 'a', 'abc', 'aB', '0x00', 'zz', '00 ', ' 00', '00\n', '00zz']) {
      expect(bytesFromHex(bad), JSON.stringify(bad)).toBeUndefined()
    }
  })

  test('base64url is rejected with padding, characters of another alphabet or leftover bits', () => {
    expect(bytesFromBase64url('-_-_')).toEqual(Buffer.of(0xfb, 0xff, 0xbf))
    for (const bad of ['', 'A', '+/+/', '-_+/', 'AA==', 'AB', 'AAB', 'AA A', 'AAAA\n', 'AA.A', 'AAAA=']) {
      expect(bytesFromBase64url(bad), JSON.stringify(bad)).toBeUndefined()
    }
  })

  test('base64 is rejected with missing padding, characters of another alphabet or leftover bits', () => {
    expect(bytesFromBase64('+/+/')).toEqual(Buffer.of(0xfb, 0xff, 0xbf))
    for (const bad of [
      '',
      '-_-_',
      '-_+/',
      'AA',
      'AA=',
      'AA===',
      'AAA',
      'AAAA=',
      'AB==',
      '====',
      'A=A=',
      'AA==\n',
    ]) {
      expect(bytesFromBase64(bad), JSON.stringify(bad)).toBeUndefined()
    }
  })

  test('invalid UTF-8 is rejected, and a byte order mark is kept', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-composite' }), (text) => {
        expect(textFromUtf8(Buffer.from(text, 'utf8'))).toBe(text)
      }),
      { numRuns: 30 },
    )
    expect(textFromUtf8(Buffer.from('\ufeff{}', 'utf8'))).toBe('\ufeff{}')
    for (const bad of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]]) {
      expect(textFromUtf8(Uint8Array.from(bad))).toBeUndefined()
    }
  })

  test('JSON is parsed from UTF-8, and invalid bytes give undefined', () => {
    expect(jsonFromUtf8(Buffer.from('{"a":[1,null]}'))).toEqual({ a: [1, null] })
    expect(jsonFromUtf8(Buffer.from('null'))).toBeNull()
    for (const bad of ['', '{', '\ufeff{}'])
      expect(jsonFromUtf8(Buffer.from(bad)), JSON.stringify(bad)).toBeUndefined()
    expect(jsonFromUtf8(Uint8Array.from([0x22, 0xff, 0x22]))).toBeUndefined()
  })

  test('decoding reads only the bytes of a view, not the bytes around it', () => {
    const memory = Uint8Array.from([0x41, 0x42, 0x43, 0x44])
    expect(textFromUtf8(memory.subarray(1, 3))).toBe('BC')
    expect(hexFromBytes(memory.subarray(1, 3))).toBe('4243')
  })
})

describe('a JSON object with exactly two string properties', () => {
  const names = ['a', 'b'] as const

  test.each([
    '{"a":"1","b":"2"}',
    '{"b":"2","a":"1"}',
    ' {\n"a" : "1" ,\t"b":"2"} ',
    '{"\\u0061":"1","b":"\\u0032"}',
  ])('is parsed from %s', (text) => {
    expect({ ...readStringMembers(text, names) }).toEqual({ a: '1', b: '2' })
  })

  test('may contain quotes, backslashes and line separators in its values', () => {
    const nasty = fc.string({
      unit: fc.constantFrom('"', '\\', '{', ':', ',', '\n', '\u2028', 'a', '\ud800', 'é'),
    })
    fc.assert(
      fc.property(nasty, nasty, (a, b) => {
        expect(readStringMembers(JSON.stringify({ a, b }), names)).toEqual({ a, b })
      }),
    )
  })

  test.each([
    '{"a":"1","a":"1","b":"2"}',
    '{"a":"1","\\u0061":"1","b":"2"}',
    '{"a":1,"a":"1","b":"2"}',
    '{"a":null,"b":"2","a":"1"}',
    '{"a":[],"b":"2","a":"1"}',
    '{"a":{"a":"1"},"b":"2","a":"1"}',
    '{"a":"\\"","a":"1","b":"2"}',
    '{"a":"1"}',
    '{"a":"1","c":"2"}',
    '{"a":"1","b":"2","c":"3"}',
    '{"a":"1","b":2}',
    '{"a":"1","b":null}',
    '{"__proto__":{"a":"1"},"b":"2"}',
    '{"A":"1","b":"2"}',
    '["a","b"]',
    '"ab"',
    'null',
    '',
    '{"a":"1","b":"2"}{}',
    "{'a':'1','b':'2'}",
  ])('is not parsed from %s', (text) => {
    expect(readStringMembers(text, names)).toBeUndefined()
  })
})
