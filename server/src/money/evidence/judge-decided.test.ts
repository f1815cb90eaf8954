import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DecidedPayment, judgeDecided } from './judge-decided.ts'

const EVENTS = ['accept', 'deliver', 'fail', 'return', 'cancel'] as const
const OUTCOMES = ['DELIVERED', 'FAILED', 'RETURNED'] as const
const claim = { amount: null, currency: null }
const payment: DecidedPayment = { amount: 100n, currency: 'EUR', delivered_at: null }

/** The verdict about each event after a decision, in the order of `EVENTS`. */
function listVerdicts(
  outcome: (typeof OUTCOMES)[number],
  decisionChange: { charge?: bigint; place?: number } = {},
  decidedPayment = payment,
) {
  const decision = { outcome, charge: 0n, place: 1, ...decisionChange }
  return EVENTS.map((event) => judgeDecided({ ...claim, event }, decidedPayment, decision).effect).join(' ')
}

test('a claim after a decision has no effect if it agrees, and waits if it contradicts', () => {
  expect(Object.fromEntries(OUTCOMES.map((outcome) => [outcome, listVerdicts(outcome)]))).toEqual({
    DELIVERED: 'none none hold hold hold',
    FAILED: 'none hold none hold none',
    RETURNED: 'none hold none none none',
  })
  // A charge was booked, so the payment has left.
  expect(listVerdicts('RETURNED', { charge: 5n })).toBe('none hold hold none hold')
})

test('a delivery reported before the first decision agrees with a decided return', () => {
  const delivered = { ...payment, delivered_at: new Date(0) }
  const before = (place: number) =>
    judgeDecided({ ...claim, event: 'deliver' }, delivered, { outcome: 'RETURNED', charge: 0n, place }).effect
  expect([before(1), before(2)]).toEqual(['none', 'hold'])
})

test('a claim after a decision never moves money, and waits if its amount or currency differs', () => {
  const amount = fc.option(fc.bigInt({ min: 0n, max: 200n }), { nil: null })
  fc.assert(
    fc.property(
      fc.constantFrom(...EVENTS),
      amount,
      fc.constantFrom('EUR', 'USD', null),
      fc.constantFrom(...OUTCOMES),
      fc.constantFrom(0n, 5n),
      (event, units, currency, outcome, charge) => {
        const verdict = judgeDecided({ event, amount: units, currency }, payment, {
          outcome,
          charge,
          place: 1,
        })
        expect(verdict.effect).not.toBe('apply')
        const known =
          event === 'return' ? [100n - charge] : [100n, ...(outcome === 'DELIVERED' ? [100n + charge] : [])]
        if (currency === 'USD' || (units !== null && !known.includes(units)))
          expect(verdict.effect).toBe('hold')
      },
    ),
    { numRuns: 5000 },
  )
})
