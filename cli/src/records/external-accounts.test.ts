import { expect, test } from 'vitest'
import { parseFields } from './external-accounts.ts'

test('dotted field names become nested objects, and values may contain any characters', () => {
  expect(
    parseFields(['iban=DE1', 'beneficiary.fullName=Ada = Lovelace', 'beneficiary.address.city=', 'a.b.c=.']),
  ).toEqual({
    iban: 'DE1',
    beneficiary: { fullName: 'Ada = Lovelace', address: { city: '' } },
    a: { b: { c: '.' } },
  })
  expect(parseFields([])).toEqual({})
})

test.each([
  ['iban', 'NAME=VALUE'],
  ['=x', 'NAME=VALUE'],
  ['a..b=x', 'NAME=VALUE'],
  ['__proto__.x=1', 'NAME=VALUE'],
])('the field %s is refused with the form that it should have', (field, message) => {
  expect(() => parseFields([field])).toThrow(message)
})

test('a field given twice, or both as a value and as an object, is rejected', () => {
  expect(() => parseFields(['iban=1', 'iban=2'])).toThrow('iban occurs twice.')
  expect(() => parseFields(['a=1', 'a.b=2'])).toThrow('a has both a value and its own fields.')
})

test('a field named like a built-in object property is treated like any other field', () => {
  expect(Object.keys(parseFields(['constructor.prototype=x']))).toEqual(['constructor'])
  expect({}.constructor).toBe(Object)
})
