import { expect, test } from 'vitest'
import type { Rail } from '../../kernel/ports/rail.ts'
import { computeExpectedCosts } from './costs.ts'

const railWith = (costs: object[]) => ({ entry: { costs } }) as unknown as Rail
const entries = [
  { kind: 'PAYMENT', amount: -10_001n },
  { kind: 'PULL', amount: 200n },
  { kind: 'DEPOSIT', amount: 5_000_000n },
  { kind: 'FEE', amount: -99n },
] as const

test('expected bank costs add up the charge of each payment and pull, with each percentage rounded up', () => {
  const euros = { currency: 'EUR', fixed: 20n, percent: 0.25 }
  // 20 + 25.0025 and 20 + 0.5
  expect(computeExpectedCosts(railWith([euros]), 'EUR', entries)).toBe(20n + 26n + 20n + 1n)
  expect(computeExpectedCosts(railWith([{ currency: 'EUR', fixed: 20n }]), 'EUR', entries)).toBe(40n)
  expect(computeExpectedCosts(railWith([{ currency: 'EUR', percent: 100 }]), 'EUR', entries)).toBe(10_201n)
})

test('no bank costs are expected if the rails file states none for the currency', () => {
  expect(computeExpectedCosts(railWith([{ currency: 'EUR', fixed: 20n }]), 'USD', entries)).toBeUndefined()
  expect(computeExpectedCosts(undefined, 'EUR', entries)).toBeUndefined()
})
