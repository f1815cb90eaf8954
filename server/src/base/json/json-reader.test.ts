import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonLimitError, readJson } from './json-reader.ts'

/** Returns the parsed value, or `refused` for a SyntaxError. */
function readOutcome(parse: (text: string) => unknown, text: string): unknown {
  try {
    return { value: asNumbers(parse(text)) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return 'refused'
  }
}

function asNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(asNumbers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asNumbers(member)]))
}

/** Properties that JSON.parse accepts and this reader rejects. They have separate tests. */
const POLLUTING = /__proto__|constructor/

const texts = fc
  .oneof(
    fc.json({ maxDepth: 4 }),
    fc.json({ maxDepth: 4, stringUnit: 'binary' }),
    fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value, null, 2)),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  )
  .filter((text) => !POLLUTING.test(text))
/** Characters with a meaning in JSON, and some that it must not contain. */
const PIECES = [
  ...'{}[]:,"\\/+-.eE019tfn \t\n\r\u0000\u001f\u00a0\u2028\ufeffu',
  'true',
  'null',
  '\\u00',
  '"a"',
]

describe('JSON text', () => {
  test('is parsed like JSON.parse does', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(readOutcome(readJson, text)).toEqual(readOutcome(JSON.parse, text))
      }),
    )
  })

  test('with a part removed or inserted is accepted or rejected like JSON.parse does', () => {
    const changed = fc
      .tuple(texts, fc.nat(), fc.nat({ max: 2 }), fc.constantFrom('', ...PIECES))
      .map(([text, at, removed, piece]) => {
        const place = at % (text.length + 1)
        return text.slice(0, place) + piece + text.slice(place + removed)
      })
      .filter((text) => !POLLUTING.test(text))
    fc.assert(
      fc.property(changed, (text) => {
        expect(readOutcome(readJson, text)).toEqual(readOutcome(JSON.parse, text))
      }),
      { numRuns: 2_000 },
    )
  })

  test('of random JSON tokens is accepted or rejected like JSON.parse does', () => {
    const mixed = fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(mixed, (text) => {
        expect(readOutcome(readJson, text)).toEqual(readOutcome(JSON.parse, text))
      }),
      { numRuns: 2_000 },
    )
  })

  test('keeps every digit of large integers', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }), (integer) => {
        expect(BigInt(readJson(`${integer}`) as bigint | number)).toBe(integer)
        expect(readJson(`{"a":[${integer}]}`)).toEqual({ a: [readJson(`${integer}`)] })
      }),
    )
    expect(readJson('9007199254740991')).toBe(9007199254740991)
    expect(readJson('9007199254740993')).toBe(9007199254740993n)
    expect(readJson('-0')).toBe(-0)
    expect(readJson('1'.repeat(1_000))).toBe(Number.POSITIVE_INFINITY)
  })

  test.each(['{"__proto__":1}', '{"\\u005f_proto__":{}}', '[{"constructor":{"prototype":{}}}]'])(
    'is rejected if it names a prototype: %s',
    (text) => {
      expect(() => readJson(text)).toThrow(SyntaxError)
    },
  )

  test('is read no further once it exceeds a limit', () => {
    const limits = { depthMax: 3, valuesMax: 4 }
    const rest = 'this is not JSON'
    expect(readJson('[[[1,2]]]', limits)).toEqual([[[1, 2]]])
    expect(readJson('{"a":[1,2],"b":3}', limits)).toEqual({ a: [1, 2], b: 3 })
    for (const text of [`[[[[${rest}`, `{"a":{"b":[{${rest}`, `[1,2,3,4,${rest}`, `{"a":[1,2,3,${rest}`])
      expect(() => readJson(text, limits), text).toThrow(JsonLimitError)
    expect(() => readJson(`[1,2,${rest}`, limits)).toThrow(SyntaxError)
  })
})
