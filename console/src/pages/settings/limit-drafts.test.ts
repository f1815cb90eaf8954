import { describe, expect, test } from 'vitest'
import {
  buildRailMarkFields,
  fromHoldRows,
  fromLimitRows,
  fromPositionMarkRows,
  fromRailMarkRows,
  HOLD_FIELDS,
  LIMIT_FIELDS,
  NEW_HOLD,
  NEW_LIMIT,
  POSITION_MARK_FIELDS,
  toHoldRows,
  toLimitRows,
  toPositionMarkRows,
  toRailMarkRows,
} from './limit-drafts.ts'
import { areValid, type RuleField, type RuleRow } from './rule-rows.tsx'

const findErrors = (fields: readonly RuleField[], row: RuleRow, otherRows: readonly RuleRow[] = []) =>
  Object.fromEntries(
    fields.flatMap(({ name, findError }) => {
      const error = findError?.(row, otherRows)
      return error === undefined ? [] : [[name, error]]
    }),
  )

describe('the limits form', () => {
  test('returns the rules that it was opened with', () => {
    const holds = [
      { bankingDays: 2, currency: 'USD', paymentRail: 'ACH', minAmount: 500_050n, customerAgeDaysMax: 0 },
      { bankingDays: 60 },
    ] as const
    const limits = [
      { subject: 'PAYEE', period: 'MONTH', currency: 'JPY', maxCount: 0, maxAmount: 1_234_567n },
      { subject: 'CUSTOMER', period: 'DAY', currency: 'USD', maxCount: 3 },
    ] as const
    const railMarks = [{ rail: 'bank', currencyCode: 'EUR', amount: 5_000_000n }]
    const positionMarks = [{ currencyCode: 'USD', amount: -2_000_001n }]
    expect(fromHoldRows(toHoldRows([...holds]))).toEqual(holds)
    expect(fromLimitRows(toLimitRows([...limits]))).toEqual(limits)
    expect(fromRailMarkRows(toRailMarkRows(railMarks))).toEqual(railMarks)
    expect(fromPositionMarkRows(toPositionMarkRows(positionMarks))).toEqual(positionMarks)
    expect(areValid(toHoldRows([...holds]), HOLD_FIELDS)).toBe(true)
    expect(areValid(toLimitRows([...limits]), LIMIT_FIELDS)).toBe(true)
    expect(areValid(toRailMarkRows(railMarks), buildRailMarkFields(['bank']))).toBe(true)
    expect(areValid(toPositionMarkRows(positionMarks), POSITION_MARK_FIELDS)).toBe(true)
  })

  test('reports at each field what the server would refuse', () => {
    expect(findErrors(HOLD_FIELDS, { ...NEW_HOLD, bankingDays: '61', minAmount: '10' })).toEqual({
      bankingDays: 'Enter a whole number from 1 to 60.',
      minAmount: 'Choose the currency of the amount.',
    })
    expect(findErrors(HOLD_FIELDS, { ...NEW_HOLD, currency: 'USD', minAmount: '1.005' })).toEqual({
      minAmount: 'Enter an amount with at most 2 decimal places.',
    })
    expect(findErrors(LIMIT_FIELDS, NEW_LIMIT)).toEqual({
      maxCount: 'Set a maximum number, a maximum total, or both.',
    })
    const limit = { ...NEW_LIMIT, maxCount: '1' }
    expect(findErrors(LIMIT_FIELDS, limit, [{ ...limit, maxCount: '2' }])).toEqual({
      subject: 'Another limit has the same subject, period and currency.',
    })
    const mark = { rail: '', currency: 'USD', amount: '-1' }
    expect(findErrors(buildRailMarkFields([]), mark)).toEqual({
      rail: 'Choose a rail.',
      amount: 'Enter at least 0.00.',
    })
    expect(findErrors(POSITION_MARK_FIELDS, mark)).toEqual({})
  })
})
