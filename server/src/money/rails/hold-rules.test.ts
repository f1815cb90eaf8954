import { describe, expect, test } from 'vitest'
import { chooseHoldRule, computeReleaseTime, formatHoldReason, type Pulled } from './hold-rules.ts'

const PULLED: Pulled = { currency: 'USD', amount: 50_000n, paymentRail: 'ACH', customerAgeDays: 10 }

const findBankingDays = (rules: Parameters<typeof chooseHoldRule>[0], pulled: Partial<Pulled> = {}) =>
  chooseHoldRule(rules, { ...PULLED, ...pulled })?.bankingDays

describe('choosing the rule that holds pulled money', () => {
  test('picks the rule with the most banking days among the rules that apply to the pull', () => {
    const rules = [
      { bankingDays: 2 },
      { bankingDays: 5, currency: 'USD', minAmount: 50_000n },
      { bankingDays: 3, customerAgeDaysMax: 30 },
    ]
    expect(findBankingDays(rules)).toBe(5)
    expect(findBankingDays(rules, { amount: 49_999n })).toBe(3)
    expect(findBankingDays(rules, { amount: 49_999n, customerAgeDays: 31 })).toBe(2)
    expect(findBankingDays(rules, { currency: 'EUR', customerAgeDays: 31 })).toBe(2)
  })

  test('skips a rule if one of its conditions does not apply to the pull', () => {
    expect(findBankingDays([{ bankingDays: 2, paymentRail: 'SEPA' }])).toBeUndefined()
    expect(
      findBankingDays([{ bankingDays: 2, paymentRail: 'ACH' }], { paymentRail: undefined }),
    ).toBeUndefined()
    expect(findBankingDays([{ bankingDays: 2, customerAgeDaysMax: 9 }])).toBeUndefined()
    expect(findBankingDays([])).toBeUndefined()
  })

  test('skips a rule about customer age if the platform pulls for itself', () => {
    expect(
      findBankingDays([{ bankingDays: 2, customerAgeDaysMax: 30 }], { customerAgeDays: undefined }),
    ).toBeUndefined()
  })
})

describe('held money is released on time', () => {
  test.each([
    // Friday, 3 July 2026, is a banking day: 4 July is a Saturday.
    ['USD', 2, '2026-07-01T15:00:00Z', '2026-07-04T04:00:00Z'],
    // Labor Day, Monday 7 September 2026, does not count.
    ['USD', 2, '2026-09-04T15:00:00Z', '2026-09-10T04:00:00Z'],
    // 22:30 in New York is still the evening of Tuesday.
    ['USD', 1, '2026-07-01T02:30:00Z', '2026-07-02T04:00:00Z'],
    // TARGET is closed on Good Friday and Easter Monday 2026.
    ['EUR', 1, '2026-04-02T10:00:00Z', '2026-04-07T22:00:00Z'],
    // Arrived on a Saturday.
    ['MXN', 1, '2026-07-04T10:00:00Z', '2026-07-07T00:00:00Z'],
  ] as const)(
    '%s is released after %s full banking days: money of %s at %s',
    (currency, days, arrivedAt, at) => {
      expect(computeReleaseTime(currency, days, new Date(arrivedAt))).toEqual(new Date(at))
    },
  )
})

test('the reason of a hold names each condition of its rule', () => {
  expect(formatHoldReason({ bankingDays: 1 })).toBe('Pulled money is held for 1 banking day.')
  expect(
    formatHoldReason({
      bankingDays: 5,
      currency: 'USD',
      paymentRail: 'ACH',
      minAmount: 50_000n,
      customerAgeDaysMax: 30,
    }),
  ).toBe(
    'Pulled money in USD by ACH of 500.00 USD or more for customers at most 30 days old is held for 5 banking days.',
  )
})
