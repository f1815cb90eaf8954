import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  RAIL_PAYMENT_TRANSITIONS,
  type RailPaymentEvent,
  type RailPaymentState,
} from '../../storage/rows/states.ts'
import type { DepositEvidence, Evidence, PaymentEvidence, ReversalEvidence } from './evidence.ts'
import { type Expected, type ExpectedDeposit, type ExpectedPayment, isAccount, judge } from './judge.ts'

const OURS = 'DE89370400440532013000'
const RAIL = { name: 'bank', accounts: [OURS], currencies: ['EUR'], arePullsProvisional: false }
const STATES = Object.keys(RAIL_PAYMENT_TRANSITIONS) as RailPaymentState[]
const EVENTS = ['accept', 'deliver', 'fail', 'return', 'cancel'] as const satisfies RailPaymentEvent[]

const account = fc.constantFrom(null, OURS, 'DE89 3704 0044 0532 0130 00', 'FR1420041010050500013M02606')
const currency = fc.constantFrom('EUR', 'USD', null)
const amount = fc.constantFrom(0n, 1n, 100n, -100n, null)
const id = fc.constantFrom('Transaction:1', 'Transaction:2')
const direction = fc.constantFrom('OUT', 'PULL')
const source = fc.constantFrom('CONNECTOR', 'STATEMENT', 'ADVICE', 'ACH_FILE', 'STATUS_FILE', 'CHAIN')

const paymentEvidence: fc.Arbitrary<PaymentEvidence> = fc.record({
  id: fc.constant('claim'),
  kind: fc.constant('payment'),
  source,
  account,
  amount,
  currency,
  event: fc.constantFrom(...EVENTS),
  subject: fc.record({ direction, id }),
  occurredAt: fc.constant('2026-03-01T00:00:00Z'),
})
const payment: fc.Arbitrary<ExpectedPayment> = fc.record({
  rail: fc.constantFrom('bank', 'other-bank'),
  direction,
  payment_id: id,
  amount: fc.constantFrom(1n, 100n),
  currency: fc.constantFrom('EUR', 'USD'),
  state: fc.constantFrom(...STATES),
})

function depositEvidence(depositAmount: bigint, details: object = {}): DepositEvidence {
  return {
    id: 'claim',
    kind: 'deposit',
    source: 'STATEMENT',
    account: OURS,
    amount: depositAmount,
    currency: 'EUR',
    occurredAt: '2026-03-01T00:00:00Z',
    deposit: {
      depositId: 'D1',
      depositAccountId: OURS,
      amount: { value: String(depositAmount), currency: 'EUR' },
      receivedAt: '2026-03-01T00:00:00Z',
      ...details,
    },
  }
}
const known: ExpectedDeposit = {
  rail: 'bank',
  rail_reference: 'D1',
  amount: 100n,
  currency: 'EUR',
  details: { depositAccount: OURS },
}

describe('a claim about a payment', () => {
  test('a claim takes effect only if account, subject, amount and currency match the record and its state allows it', () => {
    fc.assert(
      fc.property(paymentEvidence, fc.option(payment, { nil: undefined }), (claim, record) => {
        if (judge(claim, { rail: RAIL, payment: record }).effect !== 'apply') return
        expect(record).toBeDefined()
        expect(claim.account === null || isAccount([OURS], claim.account)).toBe(true)
        expect([null, 'EUR']).toContain(claim.currency)
        expect(record).toMatchObject({
          rail: RAIL.name,
          direction: claim.subject.direction,
          payment_id: claim.subject.id,
          ...(claim.amount === null ? {} : { amount: claim.amount }),
          ...(claim.currency === null ? {} : { currency: claim.currency }),
        })
        expect(record && RAIL_PAYMENT_TRANSITIONS[record.state][claim.event]).not.toBeNull()
      }),
      { numRuns: 20_000 },
    )
  })

  test('a booked claim without an amount waits for manual review', () => {
    fc.assert(
      fc.property(paymentEvidence, payment, (claim, record) => {
        fc.pre(['STATEMENT', 'ADVICE', 'ACH_FILE'].includes(claim.source) && claim.amount === null)
        expect(judge(claim, { rail: RAIL, payment: record }).effect).toBe('hold')
      }),
    )
  })

  test('a booked pull has no immediate effect if the pull can still be returned', () => {
    const rail = { ...RAIL, arePullsProvisional: true }
    fc.assert(
      fc.property(paymentEvidence, payment, (claim, record) => {
        const usual = judge(claim, { rail: RAIL, payment: record })
        const isBooked = ['STATEMENT', 'ADVICE', 'ACH_FILE'].includes(claim.source)
        const isOfPull = claim.subject.direction === 'PULL' && claim.event === 'deliver'
        const verdict = judge(claim, { rail, payment: record })
        if (usual.effect === 'apply' && isBooked && isOfPull) expect(verdict).toEqual({ effect: 'none' })
        else expect(verdict).toEqual(usual)
      }),
      { numRuns: 20_000 },
    )
  })

  test('a claim that contradicts a final outcome waits, and a late claim has no effect', () => {
    const verdicts = STATES.map((state) =>
      EVENTS.map((event) => {
        const claim = { ...buildPaymentEvidence('Transaction:1'), event }
        const verdict = judge(claim, { rail: RAIL, payment: { ...buildRecord('Transaction:1'), state } })
        return verdict.effect === 'hold' ? verdict.reason : verdict.effect
      }),
    )
    expect(Object.fromEntries(STATES.map((state, index) => [state, verdicts[index]?.join(' ')]))).toEqual({
      GIVEN: 'apply apply apply apply apply',
      ACCEPTED: 'none apply apply apply apply',
      DELIVERED: 'none none CONTRADICTION apply CONTRADICTION',
      FAILED: 'none CONTRADICTION none CONTRADICTION none',
      RETURNED: 'none none none none none',
      CANCELLED: 'none CONTRADICTION none CONTRADICTION none',
    })
  })
})

describe('a claim about money that came in', () => {
  test("a deposit must be positive, on the rail's account and in its currency", () => {
    const verdict = (claim: Evidence, expected: Expected = { rail: RAIL }) => judge(claim, expected)
    expect(verdict(depositEvidence(100n))).toEqual({ effect: 'apply' })
    expect(verdict(depositEvidence(0n))).toEqual({ effect: 'hold', reason: 'UNREADABLE' })
    expect(verdict(depositEvidence(-5n))).toEqual({ effect: 'hold', reason: 'UNREADABLE' })
    expect(verdict({ ...depositEvidence(100n), account: 'FR1420041010050500013M02606' })).toEqual({
      effect: 'hold',
      reason: 'OTHER_ACCOUNT',
    })
    expect(verdict({ ...depositEvidence(100n), currency: 'USD' })).toEqual({
      effect: 'hold',
      reason: 'OTHER_ACCOUNT',
    })
    // The line books 100, but its details state 150.
    const confused = depositEvidence(100n, { amount: { value: '150', currency: 'EUR' } })
    expect(verdict(confused)).toEqual({ effect: 'hold', reason: 'OTHER_AMOUNT' })
    // Leading zeros are the same amount.
    const padded = depositEvidence(100n, { amount: { value: '00100', currency: 'EUR' } })
    expect(verdict(padded)).toEqual({ effect: 'apply' })
  })

  test('a claim with the id of a known deposit is the same money only if all stated values agree', () => {
    const judgeReport = (details: object = {}, units = 100n) =>
      judge(depositEvidence(units, details), { rail: RAIL, deposit: known })
    expect(judgeReport()).toEqual({ effect: 'none' })
    expect(judgeReport({}, 101n)).toEqual({ effect: 'hold', reason: 'SAME_NAME' })
    expect(judgeReport({ depositAccountId: 'another' })).toEqual({ effect: 'hold', reason: 'SAME_NAME' })
    expect(judgeReport({ endToEndId: 'E1' })).toEqual({ effect: 'none' })
    const knownWithId = { ...known, details: { ...known.details, endToEndId: 'E2' } }
    expect(judge(depositEvidence(100n, { endToEndId: 'E1' }), { rail: RAIL, deposit: knownWithId })).toEqual({
      effect: 'hold',
      reason: 'SAME_NAME',
    })
  })

  test('a reversal must name a deposit of the rail and its whole amount', () => {
    const judgeReversal = (
      changes: Partial<ReversalEvidence>,
      deposit: ExpectedDeposit | undefined = known,
    ) =>
      judge(
        {
          ...depositEvidence(100n),
          kind: 'reversal',
          subject: 'D1',
          message: 'gone',
          ...changes,
        } as ReversalEvidence,
        { rail: RAIL, deposit },
      )
    expect(judgeReversal({})).toEqual({ effect: 'apply' })
    expect(judgeReversal({ amount: null, currency: null })).toEqual({ effect: 'apply' })
    expect(judgeReversal({ amount: 40n })).toEqual({ effect: 'hold', reason: 'OTHER_AMOUNT' })
    expect(judgeReversal({ subject: 'D2' })).toEqual({ effect: 'hold', reason: 'UNKNOWN_DEPOSIT' })
    expect(judgeReversal({}, { ...known, rail: 'other-bank' })).toEqual({
      effect: 'hold',
      reason: 'UNKNOWN_DEPOSIT',
    })
  })
})

test('an account number matches regardless of grouping and leading zeros, and no other number matches', () => {
  for (const number of ['DE89 3704 0044 0532 0130 00', 'de89370400440532013000'])
    expect(isAccount([OURS], number)).toBe(true)
  for (const number of ['0004477', '4477', ' 0004477 ']) expect(isAccount(['0004477'], number)).toBe(true)
  for (const number of ['', '0', '44770', '000447', OURS.slice(1)]) {
    expect(isAccount([OURS], number)).toBe(false)
    expect(isAccount(['0004477'], number)).toBe(false)
  }
})

function buildPaymentEvidence(paymentId: string): PaymentEvidence {
  return {
    id: 'claim',
    kind: 'payment',
    source: 'CONNECTOR',
    account: null,
    amount: null,
    currency: null,
    event: 'deliver',
    subject: { direction: 'OUT', id: paymentId },
    occurredAt: '2026-03-01T00:00:00Z',
  }
}

function buildRecord(paymentId: string): ExpectedPayment {
  return {
    rail: 'bank',
    direction: 'OUT',
    payment_id: paymentId,
    amount: 100n,
    currency: 'EUR',
    state: 'GIVEN',
  }
}
