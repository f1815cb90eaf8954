import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson, toJson } from './json.ts'

describe('JSON', () => {
  test('every 64-bit integer survives both ways', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (amount) => {
        const text = toJson({ amount })
        expect(text).toBe(`{"amount":${amount}}`)
        expect(BigInt((parseJson(text) as { amount: number | bigint }).amount)).toBe(amount)
      }),
    )
  })

  test('anything else is as JSON.parse and JSON.stringify have it', () => {
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

  test('a member that is undefined is left out', () => {
    expect(toJson({ a: undefined, b: 1n })).toBe('{"b":1}')
  })

  test('a fraction stays a number, however long it is', () => {
    expect(parseJson('{"rate":0.12345678901234567}')).toEqual({ rate: Number('0.12345678901234567') })
  })
})
