import {
  toCanonicalJson as canonicalOnServer,
  parseJson as parseOnServer,
} from '@countersign/server/base/json/json'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson, toCanonicalJson, toJson } from './json.ts'

describe('JSON', () => {
  test('keeps every 64-bit integer in both directions', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (amount) => {
        const text = toJson({ amount })
        expect(text).toBe(`{"amount":${amount}}`)
        expect(BigInt((parseJson(text) as { amount: number | bigint }).amount)).toBe(amount)
      }),
    )
  })

  test('has the canonical text that the server hashes', () => {
    const bodies = fc.anything({ withBigInt: true, withUnicodeString: true, key: fc.string(), maxDepth: 4 })
    fc.assert(
      fc.property(bodies, (body) => {
        fc.pre(!toJson(body).includes('__proto__'))
        expect(toCanonicalJson(body)).toBe(canonicalOnServer(parseOnServer(toJson(body))))
      }),
    )
    expect(toCanonicalJson(undefined)).toBe('null')
    expect(toCanonicalJson({ b: 2n ** 63n, a: undefined, '10': 1, '9': [{ d: 1, c: 0.5 }] })).toBe(
      '{"10":1,"9":[{"c":0.5,"d":1}],"b":9223372036854775808}',
    )
  })

  test('treats everything else like JSON.parse and JSON.stringify', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!/\d{16}|__proto__/.test(text))
        const long = text.replace(/^/, '{"id":"0000000000000000","value":').concat('}')
        expect(parseJson(long)).toEqual(JSON.parse(long))
      }),
    )
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(toJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('omits fields that are undefined', () => {
    expect(toJson({ a: undefined, b: 1n })).toBe('{"b":1}')
  })

  test('parses a fraction as a number, regardless of its length', () => {
    expect(parseJson('{"rate":0.12345678901234567}')).toEqual({ rate: Number('0.12345678901234567') })
  })
})
