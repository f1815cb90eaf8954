import { equal, ok } from 'node:assert/strict'
import { CURRENCIES, isKnownCurrency, type KnownCurrency } from '@countersign/contract/core/currencies'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { createSandboxRates } from '../../outside/sandbox/rates.ts'
import { type FeeSchedule, findFees } from './fees.ts'
import {
  exchangeRate,
  formatCurrencyAmount,
  type LockedSide,
  type Price,
  price,
  priceSendingAmount,
  rateDetails,
  totalFees,
} from './pricing.ts'
import { findRate, type RateTable, type Ratio, toRatio } from './ratios.ts'

const CODES = Object.keys(CURRENCIES).filter(isKnownCurrency)
const PAIRS = CODES.flatMap((sending) => CODES.map((receiving) => [sending, receiving] as const))
const SIDES = ['SENDING', 'RECEIVING'] as const
const AMOUNT_MAX = 10n ** 15n

let sandbox: RateTable
beforeAll(async () => {
  sandbox = await createSandboxRates(() => new Date(0)).snapshot()
})

const ratio = (numerator: bigint, denominator = 1n): Ratio => ({ numerator, denominator })
const times = (...all: Ratio[]): Ratio =>
  all.reduce((a, b) => ratio(a.numerator * b.numerator, a.denominator * b.denominator))
const minus = (a: Ratio, b: Ratio): Ratio =>
  ratio(a.numerator * b.denominator - b.numerator * a.denominator, a.denominator * b.denominator)
const absolute = ({ numerator, denominator }: Ratio): Ratio =>
  ratio(numerator < 0n ? -numerator : numerator, denominator)
const isLess = (a: Ratio, b: Ratio): boolean => a.numerator * b.denominator < b.numerator * a.denominator
const inverse = ({ numerator, denominator }: Ratio): Ratio => ratio(denominator, numerator)
const isZero = (a: Ratio): boolean => a.numerator === 0n
const roundedUp = ({ numerator, denominator }: Ratio): bigint => (numerator + denominator - 1n) / denominator
const roundedDown = ({ numerator, denominator }: Ratio): bigint => numerator / denominator

/** The exact value of a double. */
function exactly(double: number): Ratio {
  let [whole, denominator] = [double, 1n]
  for (; !Number.isInteger(whole); whole *= 2) denominator *= 2n
  return ratio(BigInt(whole), denominator)
}

/** True if a double is the nearest one to a ratio. */
function isNearest(double: number, exact: Ratio): boolean {
  return !isLess(times(exact, ratio(1n, 2n ** 53n)), absolute(minus(exactly(double), exact)))
}

interface Case {
  readonly rates: RateTable
  readonly fees: FeeSchedule
  readonly sending: KnownCurrency
  readonly receiving: KnownCurrency
  readonly side: LockedSide
  readonly amount: bigint
  readonly networkFee: bigint
}

/** Computes a price. Throws if its amounts are inconsistent. */
function checkPrice(testCase: Case): Price | undefined {
  const { rates, fees, sending, receiving, side, amount, networkFee } = testCase
  const found = price(rates, fees, sending, receiving, side, amount, networkFee)
  const rate = findRate(rates, sending, receiving)!
  const fee = findFees(fees, sending, receiving)
  const perDollar = times(findRate(rates, sending, 'USD')!, ratio(100n))
  const fixed = roundedUp(times(fee.fixedUsd, perDollar)) + networkFee
  if (!found) {
    // The amount left after the fees does not buy one receiving unit.
    const left = amount - fixed - roundedUp(times(ratio(amount), fee.variable))
    equal(side, 'SENDING')
    ok(isLess(ratio(left), rate))
    return undefined
  }
  const { sendingAmount, receivingAmount, deliveredAmount } = found
  equal(side === 'SENDING' ? sendingAmount : receivingAmount, amount)
  ok(receivingAmount > 0n)

  // The amounts add up exactly.
  equal(deliveredAmount, roundedUp(times(ratio(receivingAmount), rate)))
  equal(sendingAmount, deliveredAmount + totalFees(found))

  // The fees are a share of the sending amount, rounded up, and a fixed fee that includes the remainder.
  const details = rateDetails(rates, sending, found)
  const variableFee = times(ratio(sendingAmount), fee.variable)
  equal(totalFees(found), details.svcApiFixedFee + roundedUp(variableFee))
  ok(isNearest(details.svcApiVariableFeeAmount, variableFee))
  ok(isNearest(details.svcApiVariableFeeRate, fee.variable))
  equal(details.counterpartyFixedFee, 0n)
  const left = details.svcApiFixedFee - fixed
  ok(left >= 0n)
  if (side === 'RECEIVING') equal(left, 0n)
  else {
    equal(receivingAmount, roundedDown(times(ratio(deliveredAmount + left), inverse(rate))))
    ok(left === 0n || isLess(ratio(left), rate))
  }

  // The response fields match their formulas (specification 2.7).
  ok(isNearest(exchangeRate(found), rate))
  const shown = times(ratio(receivingAmount), exactly(exchangeRate(found)))
  const off = minus(ratio(sendingAmount - totalFees(found)), shown)
  const doubleError = times(ratio(receivingAmount), rate, ratio(1n, 2n ** 53n))
  ok(!isLess(off, times(ratio(-1n), doubleError)))
  ok(isLess(minus(off, doubleError), ratio(1n)))
  const msat = times(findRate(rates, receiving, 'BTC')!, ratio(1n, 1000n))
  ok(isNearest(details.counterpartyMultiplier, msat))
  const afterFixedFee = sendingAmount - details.svcApiFixedFee
  const product = times(
    ratio(afterFixedFee),
    exactly(details.svcApiMultiplier),
    exactly(details.counterpartyMultiplier),
  )
  // The multiplier includes the variable fee and the rounding to whole units.
  const msats = times(ratio(afterFixedFee), exactly(details.svcApiMultiplier))
  const perUnit = times(inverse(findRate(rates, sending, 'BTC')!), ratio(1000n))
  const afterFees = ratio(afterFixedFee - roundedUp(variableFee))
  ok(!isLess(times(afterFees, perUnit, ratio(2n ** 53n + 1n, 2n ** 53n)), msats))
  ok(isLess(times(minus(afterFees, ratio(1n)), perUnit, ratio(2n ** 53n - 1n, 2n ** 53n)), msats))
  const tolerance = times(ratio(receivingAmount), ratio(2n ** 53n + 1n, 2n ** 105n))
  ok(!isLess(tolerance, absolute(minus(product, ratio(receivingAmount)))))
  // A client's calculation in doubles is exact as long as a double resolves a quarter of a unit.
  if (receivingAmount < 2n ** 50n) {
    const computed = Number(afterFixedFee) * details.svcApiMultiplier * details.counterpartyMultiplier
    equal(BigInt(Math.round(computed)), receivingAmount)
  }
  return found
}

/** Throws if locking the price's other side gives an inconsistent price. */
function checkOtherSide(testCase: Case, found: Price): void {
  const { rates, fees, sending, receiving, side, networkFee } = testCase
  const { sendingAmount, receivingAmount, deliveredAmount, rate } = found
  const locked = (lockedSide: LockedSide, amount: bigint) =>
    checkPrice({ ...testCase, side: lockedSide, amount })!
  if (side === 'RECEIVING') {
    // One sending unit less does not buy the amount.
    const less = priceSendingAmount(rates, fees, sending, receiving, sendingAmount - 1n, networkFee)!
    ok(less.receivingAmount < receivingAmount)
    // The fees are the same. If one sending unit buys several receiving units, it may buy a few more.
    const back = locked('SENDING', sendingAmount)
    equal(back.fixedFee, found.fixedFee)
    equal(back.variableFee, found.variableFee)
    ok(back.receivingAmount >= receivingAmount)
    equal(back.receivingAmount, roundedDown(times(ratio(deliveredAmount), inverse(rate))))
  } else {
    // Locking the receiving amount never costs more, and its cost buys the same amount.
    const back = locked('RECEIVING', receivingAmount)
    ok(back.sendingAmount <= sendingAmount)
    equal(locked('SENDING', back.sendingAmount).receivingAmount, receivingAmount)
  }
}

/** Small and large amounts are equally frequent. */
const amounts = fc
  .tuple(fc.integer({ min: 0, max: 15 }), fc.bigInt(1n, 10n))
  .chain(([zeros, digit]) => fc.bigInt(1n, digit * 10n ** BigInt(zeros)))
  .map((amount) => (amount > AMOUNT_MAX ? AMOUNT_MAX : amount))
const decimals = (placesMax: number, largest: bigint) =>
  fc
    .tuple(fc.bigInt(0n, largest), fc.integer({ min: 0, max: placesMax }))
    .map(([digits, places]) => ratio(digits, 10n ** BigInt(places)))
const codes = fc.constantFrom(...CODES)
const corridorEnds = fc.constantFrom('*' as const, ...CODES)
const shares = decimals(9, 999_999_999n).map((share) =>
  isLess(share, ratio(1n)) ? share : ratio(share.numerator, 10n ** 9n),
)
const schedules: fc.Arbitrary<FeeSchedule> = fc.uniqueArray(
  fc.record({
    source: corridorEnds,
    destination: corridorEnds,
    fee: fc.record({ fixedUsd: decimals(8, 10n ** 12n), variable: shares }),
  }),
  { maxLength: 6, selector: ({ source, destination }) => `${source} ${destination}` },
)
/** Tables of rates between a billionth of a dollar and a billion. */
const tables: fc.Arbitrary<RateTable> = fc
  .array(
    fc
      .tuple(fc.bigInt(1n, 10n ** 9n), fc.integer({ min: 0, max: 9 }))
      .map(([digits, places]) => ratio(digits, 10n ** BigInt(places))),
    { minLength: CODES.length, maxLength: CODES.length },
  )
  .map((rates) => ({
    updatedAt: new Date(0),
    usdPerUnit: (code) => (code === 'USD' ? ratio(1n) : rates[(CODES as readonly string[]).indexOf(code)]),
  }))

describe('a price', () => {
  test('is consistent whichever side is locked, for every pair of currencies', { tags: 'long' }, () => {
    const some = fc.sample(amounts, { numRuns: 4 * PAIRS.length, seed: 4 })
    PAIRS.forEach(([sending, receiving], index) => {
      const own = some.slice(4 * index, 4 * index + 4)
      for (const side of SIDES)
        for (const amount of [1n, ...own, AMOUNT_MAX]) {
          const testCase: Case = {
            rates: sandbox,
            fees: [],
            sending,
            receiving,
            side,
            amount,
            networkFee: 0n,
          }
          try {
            const found = checkPrice(testCase)
            if (found) checkOtherSide(testCase, found)
          } catch (error) {
            throw new Error(`${side} ${amount} ${sending} → ${receiving}`, { cause: error })
          }
        }
    })
  })

  test('is consistent at any rates and with any fees', { tags: 'long' }, () => {
    const cases: fc.Arbitrary<Case> = fc.record({
      rates: fc.oneof(fc.constant(sandbox), tables),
      fees: schedules,
      sending: codes,
      receiving: codes,
      side: fc.constantFrom(...SIDES),
      amount: amounts,
      networkFee: fc.oneof(fc.constant(0n), amounts),
    })
    fc.assert(
      fc.property(cases, (testCase) => {
        const found = checkPrice(testCase)
        if (found) checkOtherSide(testCase, found)
      }),
      { numRuns: 3000 },
    )
  })

  test('consists only of fees if the amount buys nothing, and is undefined without a rate', () => {
    for (const amount of [0n, 1n, 9n])
      expect(priceSendingAmount(sandbox, [], 'USD', 'EUR', amount)).toMatchObject({
        sendingAmount: amount,
        receivingAmount: 0n,
        deliveredAmount: 0n,
        fixedFee: amount === 0n ? 0n : amount - 1n,
        variableFee: amount === 0n ? 0n : 1n,
      })
    expect(price(sandbox, [], 'USD', 'EUR', 'SENDING', 9n)).toBeUndefined()
    const without: RateTable = {
      ...sandbox,
      usdPerUnit: (code) => (code === 'EUR' ? undefined : sandbox.usdPerUnit(code)),
    }
    for (const side of SIDES) {
      expect(price(without, [], 'USD', 'EUR', side, 1000n)).toBeUndefined()
      expect(price(without, [], 'EUR', 'USD', side, 1000n)).toBeUndefined()
    }
  })

  test('matches the example in the documentation', () => {
    const found = price(sandbox, [], 'USD', 'EUR', 'SENDING', 10_000n)!
    expect(found).toMatchObject({
      receivingAmount: 8568n,
      deliveredAmount: 9939n,
      fixedFee: 11n,
      variableFee: 50n,
    })
    expect(exchangeRate(found)).toBe(1.16)
    expect(rateDetails(sandbox, 'USD', found)).toEqual({
      counterpartyMultiplier: 0.00008189655172413794,
      counterpartyFixedFee: 0n,
      svcApiMultiplier: 10473.499797145281,
      svcApiFixedFee: 11n,
      svcApiVariableFeeRate: 0.005,
      svcApiVariableFeeAmount: 50,
    })
  })

  test('shows the exact variable fee, and charges it rounded up', () => {
    const found = price(sandbox, [], 'USD', 'EUR', 'SENDING', 10_001n)!
    const { svcApiFixedFee, svcApiVariableFeeAmount } = rateDetails(sandbox, 'USD', found)
    expect(svcApiVariableFeeAmount).toBe(50.005)
    expect(totalFees(found)).toBe(svcApiFixedFee + 51n)
  })
})

describe('the fees of a corridor', () => {
  const dollars = (text: string) => ({ fixedUsd: toRatio(text), variable: toRatio('0') })
  const schedule: FeeSchedule = [
    { source: '*', destination: '*', fee: dollars('4') },
    { source: '*', destination: 'EUR', fee: dollars('3') },
    { source: 'USD', destination: '*', fee: dollars('2') },
    { source: 'USD', destination: 'EUR', fee: dollars('1') },
    { source: 'GBP', destination: 'GBP', fee: dollars('5') },
  ]

  test.each([
    ['USD', 'EUR', '1'],
    ['USD', 'MXN', '2'],
    ['BRL', 'EUR', '3'],
    ['BRL', 'MXN', '4'],
    ['GBP', 'GBP', '5'],
    ['USD', 'USD', '0'],
    ['EUR', 'EUR', '0'],
  ] as const)('from %s to %s follow the most specific rule: %s', (source, destination, fixed) => {
    for (const rules of [schedule, schedule.toReversed()])
      expect(findFees(rules, source, destination).fixedUsd).toEqual(toRatio(fixed))
  })

  test('are 0.10 USD and 0.5 % without a rule, and nothing within one currency', () => {
    expect(findFees([], 'USD', 'EUR')).toEqual({ fixedUsd: toRatio('0.10'), variable: toRatio('0.005') })
    expect(isZero(findFees([], 'USD', 'USD').variable)).toBe(true)
  })
})

test('an amount is formatted with the decimal places of its currency', () => {
  expect(formatCurrencyAmount(5n, 'USD')).toBe('0.05 USD')
  expect(formatCurrencyAmount(1_234_567n, 'USDB')).toBe('1.234567 USDB')
  expect(formatCurrencyAmount(25n, 'VND')).toBe('25 VND')
})
