import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OpenLine, OpenPayment } from './signs.ts'
import { findRun, findSubset, SUBSET_PARTS_MAX } from './subsets.ts'
import { type Suggestion, suggestMatches } from './suggest.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const days = fc.integer({ min: 0, max: 40 })
/** Few distinct values, so that amounts collide and add up. */
const amount = fc.integer({ min: -12, max: 12 }).filter((units) => units !== 0)

const line = fc.record({
  units: amount,
  day: days,
  text: fc.constantFrom('', 'REF-1001', 'REF1002 ADA', 'GRACE'),
})
const payment = fc.record({
  units: amount,
  day: days,
  stated: fc.option(amount, { nil: undefined }),
  reference: fc.constantFrom('REF-1001', 'REF-1002', 'REF-1003'),
  name: fc.constantFrom('Ada', 'Grace', 'Ada Grace'),
})

const world = fc
  .record({ lines: fc.array(line, { maxLength: 14 }), payments: fc.array(payment, { maxLength: 14 }) })
  .map(({ lines, payments }) => ({
    lines: lines.map(
      ({ units, day, text }, n): OpenLine => ({
        id: `line-${n}`,
        amount: BigInt(units),
        atMs: day * DAY_MS,
        text,
      }),
    ),
    payments: payments.map(
      ({ units, day, stated, reference, name }, n): OpenPayment => ({
        id: `payment-${n}`,
        booked: BigInt(units),
        lineIds: stated === undefined ? [] : [`own-${n}`],
        lineSum: BigInt(stated ?? 0),
        atMs: day * DAY_MS,
        references: [reference],
        names: [name],
      }),
    ),
  }))

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)

const listIds = (suggestions: readonly Suggestion[]) =>
  suggestions.map(({ kind, lines, payments }) =>
    [kind, ...[...lines, ...payments].map(({ id }) => id)].join(' '),
  )

test("a match suggestion's lines minus its bookings equal its difference, which is zero except for charges", () => {
  fc.assert(
    fc.property(world, ({ lines, payments }) => {
      for (const suggestion of suggestMatches(lines, payments)) {
        const stated =
          sum(suggestion.lines.map((line) => line.amount)) +
          sum(suggestion.payments.map(({ lineSum }) => lineSum))
        const booked = sum(suggestion.payments.map((payment) => payment.booked))
        expect(stated - booked).toBe(suggestion.difference)
        expect(suggestion.difference !== 0n).toBe(suggestion.kind === 'CHARGE')
        expect(suggestion.account !== undefined).toBe(suggestion.kind === 'CHARGE')
      }
    }),
  )
})

test('no statement line or payment appears in two match suggestions', () => {
  fc.assert(
    fc.property(world, ({ lines, payments }) => {
      const used = suggestMatches(lines, payments).flatMap((suggestion) => [
        ...suggestion.lines,
        ...suggestion.payments,
      ])
      expect(new Set(used).size).toBe(used.length)
    }),
  )
})

test('match suggestions do not depend on the order of statement lines and payments', () => {
  const shuffled = world.chain((known) =>
    fc.record({
      known: fc.constant(known),
      lines: fc.shuffledSubarray(known.lines, { minLength: known.lines.length }),
      payments: fc.shuffledSubarray(known.payments, { minLength: known.payments.length }),
    }),
  )
  fc.assert(
    fc.property(shuffled, ({ known, lines, payments }) => {
      expect(listIds(suggestMatches(lines, payments))).toEqual(
        listIds(suggestMatches(known.lines, known.payments)),
      )
    }),
  )
})

test('a payment is matched with the statement line that has its reference and amount, whatever the other lines are', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 60 }), (amounts) => {
      const payments = amounts.map((units, n): OpenPayment => {
        const references = [`CS${String(n).padStart(6, '0')}`]
        return {
          id: `payment-${n}`,
          booked: -BigInt(units),
          lineIds: [],
          lineSum: 0n,
          atMs: 0,
          references,
          names: [],
        }
      })
      const lines = payments.map(
        ({ booked, references }, n): OpenLine => ({
          id: `line-${amounts.length - n}`,
          amount: booked,
          atMs: DAY_MS,
          text: `Order ${references[0]}`,
        }),
      )
      const found = suggestMatches(lines, payments)
      expect(found).toHaveLength(amounts.length)
      for (const { lines, payments, signs } of found) {
        expect(lines[0]?.text).toContain(payments[0]?.references[0])
        expect(signs).toEqual(['AMOUNT', 'REFERENCE', 'DATE'])
      }
    }),
  )
})

test('parts that add up to an amount are found, consecutive ones as well as a few scattered ones', () => {
  const parts = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 2, maxLength: 12 })
  fc.assert(
    fc.property(parts, fc.nat(), fc.nat(), (units, seed, bits) => {
      const all = units.map((unitCount) => ({ amount: -BigInt(unitCount) }))
      const from = seed % (all.length - 1)
      const run = all.slice(from, from + 2 + (bits % (all.length - from - 1)))
      const target = sum(run.map((part) => part.amount))
      expect(sum((findRun(all, target, 500) ?? []).map((part) => part.amount))).toBe(target)
      const chosen = all.filter((_, n) => (bits >> n) % 2 === 1)
      if (chosen.length < 2) return
      const chosenSum = sum(chosen.map((part) => part.amount))
      const found = findSubset(all, chosenSum)
      // The search may run out of steps, but any result is correct.
      if (found) expect(sum(found.map((part) => part.amount))).toBe(chosenSum)
      if (all.length <= 10) expect(found).toBeDefined()
    }),
  )
})

test('the search for parts of an amount ends even if no combination adds up', () => {
  const even = Array.from({ length: 10 * SUBSET_PARTS_MAX }, (_, n) => ({ amount: BigInt(2 * n + 2) }))
  expect(findSubset(even, 151n)).toBeUndefined()
})

test('one statement line for the sum of two hundred payments of a day is matched with all of them', () => {
  const payments = Array.from({ length: 200 }, (_, n): OpenPayment => {
    const booked = -BigInt(1000 + 7 * n)
    return { id: `payment-${n}`, booked, lineIds: [], lineSum: 0n, atMs: n, references: [], names: [] }
  })
  const total = sum(payments.map(({ booked }) => booked))
  const [found, ...others] = suggestMatches([{ id: 'line', amount: total, atMs: DAY_MS, text: '' }], payments)
  expect(others).toEqual([])
  expect(found).toMatchObject({ kind: 'BATCH', difference: 0n })
  expect(found?.payments).toHaveLength(200)
})

test('a line that is a year apart from a payment or differs by more than a charge is not suggested as its match', () => {
  const open: OpenPayment = {
    ...{ id: 'payment', booked: -1000n, lineIds: [], lineSum: 0n },
    ...{ atMs: 0, references: ['CS000001'], names: [] },
  }
  const at = (day: number, units: bigint, text = ''): OpenLine => ({
    id: 'line',
    amount: units,
    atMs: day * DAY_MS,
    text,
  })
  expect(suggestMatches([at(400, -1000n)], [open])).toEqual([])
  expect(suggestMatches([at(400, -1000n, 'CS000001')], [open])).toHaveLength(1)
  expect(suggestMatches([at(1, -1100n, 'CS000001')], [open])).toMatchObject([
    { kind: 'CHARGE', difference: -100n },
  ])
  expect(suggestMatches([at(1, -1101n, 'CS000001')], [open])).toEqual([])
  expect(suggestMatches([at(1, -900n, 'CS000001')], [open])).toEqual([])
})
