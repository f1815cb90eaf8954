import { expect, test } from 'vitest'
import { putAt, valueAt } from './paths.ts'

test('a path finds a value within objects and lists, and nothing where it leads nowhere', () => {
  const record = { name: { first: 'Ada' }, tags: ['a', 'b'], empty: null }
  expect(valueAt(record, 'name.first')).toBe('Ada')
  expect(valueAt(record, 'tags.1')).toBe('b')
  expect(valueAt(record, 'empty.first')).toBeUndefined()
  expect(valueAt(record, 'other.first')).toBeUndefined()
  expect(valueAt(undefined, 'name')).toBeUndefined()
})

test('a value is put beside what its objects already have', () => {
  const record = { name: { first: 'Ada' } }
  putAt(record, ['name', 'last'], 'King')
  putAt(record, ['address', 'city'], 'London')
  expect(record).toEqual({ name: { first: 'Ada', last: 'King' }, address: { city: 'London' } })
})
