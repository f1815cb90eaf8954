import { expect, test } from 'vitest'
import { classifyPart } from './day-parts.ts'

const DAY = { opening: 0n, closing: 1_000n, count: 3 }

test("another statement of a day must continue or precede the day's balance, otherwise it contradicts it", () => {
  expect(classifyPart(DAY, { opening: 1_000n, closing: 1_500n, count: 1, known: 0 })).toBe('continues')
  expect(classifyPart(DAY, { opening: -200n, closing: 0n, count: 1, known: 0 })).toBe('precedes')
  expect(classifyPart(DAY, { opening: 0n, closing: 1_100n, count: 4, known: 3 })).toBe('contradicts')
  expect(classifyPart(DAY, { opening: 500n, closing: 900n, count: 1, known: 0 })).toBe('contradicts')
})

test('a statement whose entries are all known is a repeat, even if it covers only part of the day', () => {
  expect(classifyPart(DAY, { opening: 0n, closing: 1_000n, count: 3, known: 3 })).toBe('repeat')
  expect(classifyPart(DAY, { opening: 0n, closing: 400n, count: 1, known: 1 })).toBe('repeat')
  expect(classifyPart(DAY, { opening: 0n, closing: 999n, count: 3, known: 3 })).toBe('contradicts')
})

test('a statement part that repeats earlier entries but continues the balance is a contradiction, never a repeat', () => {
  expect(classifyPart(DAY, { opening: 1_000n, closing: 1_400n, count: 1, known: 1 })).toBe('contradicts')
  expect(classifyPart(DAY, { opening: -400n, closing: 0n, count: 1, known: 1 })).toBe('contradicts')
  expect(classifyPart(DAY, { opening: 1_000n, closing: 1_500n, count: 2, known: 1 })).toBe('continues')
})

test('another statement of a day with equal opening and closing balances is a contradiction, because the order is ambiguous', () => {
  const even = { opening: 500n, closing: 500n, count: 2 }
  expect(classifyPart(even, { opening: 500n, closing: 700n, count: 1, known: 0 })).toBe('contradicts')
})
