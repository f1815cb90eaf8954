import { expect, test } from 'vitest'
import { getErrorSentence } from './thrown-errors.ts'

test('a quoted error ends with exactly one period, whether or not its message has one', () => {
  expect(getErrorSentence(new Error('The key is missing.'))).toBe('The key is missing.')
  expect(getErrorSentence(new Error('The key is missing'))).toBe('The key is missing.')
  expect(getErrorSentence('broken')).toBe('broken.')
})
