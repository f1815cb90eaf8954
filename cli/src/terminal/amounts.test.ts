import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatAmount, formatRate, parseAmount } from './amounts.ts'

const usd = { code: 'USD', decimals: 2 }
const usdb = { code: 'USDB', decimals: 6 }

describe('amounts', () => {
  test.each([
    [2_500n, usd, '25.00 USD'],
    [5n, usd, '0.05 USD'],
    [-5n, usd, '-0.05 USD'],
    [0n, { code: 'RWF', decimals: 0 }, '0 RWF'],
    [2n ** 63n - 1n, usdb, '9223372036854.775807 USDB'],
  ])('%s of %j is %s', (amount, currency, text) => {
    expect(formatAmount(amount, currency)).toBe(text)
  })

  test('are formatted without losing a digit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.nat(8), (amount, decimals) => {
        const text = formatAmount(amount, { code: 'XXX', decimals })
        expect(BigInt(text.replace(/[. X]/g, ''))).toBe(amount)
      }),
    )
  })

  test('are parsed to the last digit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), fc.nat(8), (amount, decimals) => {
        const currency = { code: 'XXX', decimals }
        expect(parseAmount(formatAmount(amount, currency).replace(' XXX', ''), currency)).toBe(amount)
      }),
    )
    expect(parseAmount('25', usd)).toBe(2_500n)
    expect(parseAmount('25.5', usd)).toBe(2_550n)
  })

  test.each(['', '-1', '1.234', '1,5', '1.', '.5', '1e3', ' 1', '92233720368547758.08'])(
    '%j is not an amount',
    (text) => {
      expect(parseAmount(text, usd)).toBeUndefined()
    },
  )

  test('a rate is shown in whole units', () => {
    expect(formatRate(10_000, usdb, usd)).toBe('1 USD = 1 USDB')
    expect(formatRate(0.925, { code: 'EUR', decimals: 2 }, usd)).toBe('1 USD = 0.925 EUR')
  })
})
