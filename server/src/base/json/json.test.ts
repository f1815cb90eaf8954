import { expect, test } from 'vitest'
import { toJson } from './json.ts'

test('a bigint of any length is serialized as its digits', () => {
  expect(toJson({ small: 5n, large: 2n ** 80n })).toBe('{"small":5,"large":1208925819614629174706176}')
})

test('JSON.stringify works unchanged for libraries: it passes a bigint to a replacer, and otherwise throws', () => {
  const inHex = (_: string, value: unknown) => (typeof value === 'bigint' ? `0x${value.toString(16)}` : value)
  expect(JSON.stringify([255n, { a: 2n ** 80n }], inHex)).toBe('["0xff",{"a":"0x100000000000000000000"}]')
  expect(() => JSON.stringify([1n])).toThrow('Do not know how to serialize a BigInt')
  expect(toJson([1n])).toBe('[1]')
  expect(() => JSON.stringify([1n])).toThrow(TypeError)
})
