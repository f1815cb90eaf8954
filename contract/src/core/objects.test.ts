import { expect, test } from 'vitest'
import { buildTable, getOwnValue, isKeyOf, keysOf } from './objects.ts'

const PRICES = { apple: 3, pear: 4 }

test('keysOf returns the keys of a table in their order', () => {
  expect(keysOf(PRICES)).toEqual(['apple', 'pear'])
})

test('a table built from keys has a value for each key', () => {
  expect(buildTable(['apple', 'pear'], (name) => name.length)).toEqual({ apple: 5, pear: 4 })
})

test('an inherited property name is not a key of a table', () => {
  expect(isKeyOf(PRICES, 'pear')).toBe(true)
  expect(isKeyOf(PRICES, 'constructor')).toBe(false)
  expect(getOwnValue(PRICES, 'pear')).toBe(4)
  expect(getOwnValue(PRICES, 'constructor')).toBeUndefined()
})
