import { expect, test } from 'vitest'
import { binaryArray } from './binary-array.ts'

const ID = 'Customer:01a20415-dfbf-79a9-9bcf-48cf284d4d03'

test('an id is written as its sixteen bytes', () => {
  expect(binaryArray('uuid', [ID]).subarray(24).toString('hex')).toBe('01a20415dfbf79a99bcf48cf284d4d03')
})

test.each([
  ['a digit that is none', ID.replace('dfbf', 'dfzf')],
  ['a capital', ID.replace('dfbf', 'DFBF')],
  ['a character beyond ASCII', ID.replace('dfbf', 'dfäf')],
  ['another character for a dash', ID.replace('15-df', '15adf')],
])('%s is no part of an id: nothing is written for it', (_, id) => {
  expect(() => binaryArray('uuid', [id])).toThrow('is not a uuid')
})

test('a number beyond int64 is refused as the database refuses it', () => {
  expect(() => binaryArray('bigint', [2n ** 63n])).toThrow(expect.objectContaining({ code: '22003' }))
  expect(binaryArray('bigint', [-(2n ** 63n)]).readBigInt64BE(24)).toBe(-(2n ** 63n))
})
