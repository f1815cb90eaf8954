import { expect, test } from 'vitest'
import { nest } from './external-accounts.ts'

test('dotted field names become nested objects, and values may contain any characters', () => {
  expect(
    nest(['iban=DE1', 'beneficiary.fullName=Ada = Lovelace', 'beneficiary.address.city=', 'a.b.c=.']),
  ).toEqual({
    iban: 'DE1',
    beneficiary: { fullName: 'Ada = Lovelace', address: { city: '' } },
    a: { b: { c: '.' } },
  })
  expect(nest([])).toEqual({})
})

test.each([
  ['iban', 'NAME=VALUE'],
  ['=x', 'NAME=VALUE'],
  ['a..b=x', 'NAME=VALUE'],
  ['__proto__.x=1', 'NAME=VALUE'],
])('the field %s is refused with the form that it should have', (field, message) => {
  expect(() => nest([field])).toThrow(message)
})

test('a field given twice, or both as a value and as an object, is rejected', () => {
  expect(() => nest(['iban=1', 'iban=2'])).toThrow('iban occurs twice.')
  expect(() => nest(['a=1', 'a.b=2'])).toThrow('a has both a value and its own fields.')
})

test('a field named like a built-in object property is treated like any other field', () => {
  expect(Object.keys(nest(['constructor.prototype=x']))).toEqual(['constructor'])
  expect({}.constructor).toBe(Object)
})
