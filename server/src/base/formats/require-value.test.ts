import { expect, test } from 'vitest'
import { requireValue } from './require-value.ts'

test('a value that is there is returned, also zero and an empty string', () => {
  expect(requireValue(0, 'count')).toBe(0)
  expect(requireValue('', 'name')).toBe('')
})

test('a missing value is an error that names it', () => {
  expect(() => requireValue(null, 'platform of a job')).toThrow('there is no platform of a job')
  expect(() => requireValue(undefined, 'platform of a job')).toThrow('there is no platform of a job')
})
