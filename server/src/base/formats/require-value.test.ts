import { expect, test } from 'vitest'
import { requireValue } from './require-value.ts'

test('a required value is returned, even if it is zero or an empty string', () => {
  expect(requireValue(0, 'count')).toBe(0)
  expect(requireValue('', 'name')).toBe('')
})

test('the error for a missing required value describes it', () => {
  expect(() => requireValue(null, 'platform of a job')).toThrow('Missing platform of a job')
  expect(() => requireValue(undefined, 'platform of a job')).toThrow('Missing platform of a job')
})
