import { expect, test } from 'vitest'
import { isKeyOf, keysOf, memberOf, tableOf } from './objects.ts'

const PRICES = { apple: 3, pear: 4 }

test('the keys of a table come in its order', () => {
  expect(keysOf(PRICES)).toEqual(['apple', 'pear'])
})

test('a table has a value for each key it is made from', () => {
  expect(tableOf(['apple', 'pear'], (name) => name.length)).toEqual({ apple: 5, pear: 4 })
})

test('a name that every object inherits is neither a key nor a member of a table', () => {
  expect(isKeyOf(PRICES, 'pear')).toBe(true)
  expect(isKeyOf(PRICES, 'constructor')).toBe(false)
  expect(memberOf(PRICES, 'pear')).toBe(4)
  expect(memberOf(PRICES, 'constructor')).toBeUndefined()
})
