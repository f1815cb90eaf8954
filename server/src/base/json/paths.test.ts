import { expect, test } from 'vitest'
import { getValueAt, setValueAt } from './paths.ts'

test('a path finds a value within objects and lists, or undefined if the path does not exist', () => {
  const record = { name: { first: 'Ada' }, tags: ['a', 'b'], empty: null }
  expect(getValueAt(record, 'name.first')).toBe('Ada')
  expect(getValueAt(record, 'tags.1')).toBe('b')
  expect(getValueAt(record, 'empty.first')).toBeUndefined()
  expect(getValueAt(record, 'other.first')).toBeUndefined()
  expect(getValueAt(undefined, 'name')).toBeUndefined()
})

test('a value set at a path leaves the other properties unchanged', () => {
  const record = { name: { first: 'Ada' } }
  setValueAt(record, ['name', 'last'], 'King')
  setValueAt(record, ['address', 'city'], 'London')
  expect(record).toEqual({ name: { first: 'Ada', last: 'King' }, address: { city: 'London' } })
})
