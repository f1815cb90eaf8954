import { expect, test } from 'vitest'
import { readPositionLimits } from './position-limits.ts'

const read = (text?: string) => readPositionLimits({ FX_POSITION_LIMITS: text })

test('position limits are read by currency, in the smallest unit, up to the largest amount', () => {
  expect(read()).toEqual({})
  expect(read('')).toEqual({})
  expect(read('EUR:100000000, USD:0,USDB:9223372036854775807').positionLimits).toEqual(
    new Map([
      ['EUR', 100_000_000n],
      ['USD', 0n],
      ['USDB', 9_223_372_036_854_775_807n],
    ]),
  )
})

test.each([
  ['EUR', 'must be like EUR:100000000'],
  ['EUR:1.00', 'must be like'],
  ['EUR:-1', 'must be like'],
  ['EUR:9223372036854775808', 'must be like'],
  ['EUR:1,', 'not ""'],
  ['ZZZ:1', 'the currency "ZZZ", which this server does not support'],
  ['EUR:1,USD:2,EUR:3', 'names EUR twice'],
])('FX_POSITION_LIMITS must not be %s, and the error says why', (text, message) => {
  expect(() => read(text)).toThrow(message)
})
