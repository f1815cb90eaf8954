import { expect, test } from 'vitest'
import { encodeBinaryArray } from './binary-array.ts'

const ID = 'Customer:01a20415-dfbf-79a9-9bcf-48cf284d4d03'

test('an id is encoded as its sixteen bytes', () => {
  expect(encodeBinaryArray('uuid', [ID]).subarray(24).toString('hex')).toBe(
    '01a20415dfbf79a99bcf48cf284d4d03',
  )
})

test.each([
  ['a character that is not a digit', ID.replace('dfbf', 'dfzf')],
  ['a capital letter', ID.replace('dfbf', 'DFBF')],
  ['a character beyond ASCII', ID.replace('dfbf', 'dfäf')],
  ['a letter in place of a dash', ID.replace('15-df', '15adf')],
])('an id with %s is not encoded', (_, id) => {
  expect(() => encodeBinaryArray('uuid', [id])).toThrow('is not a uuid')
})

test('a number beyond int64 is rejected with the error code of the database', () => {
  expect(() => encodeBinaryArray('bigint', [2n ** 63n])).toThrow(expect.objectContaining({ code: '22003' }))
  expect(encodeBinaryArray('bigint', [-(2n ** 63n)]).readBigInt64BE(24)).toBe(-(2n ** 63n))
})
