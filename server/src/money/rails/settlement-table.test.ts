import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RailResult } from '../../kernel/ports/rail.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { RailProgress } from '../../storage/rows/job.ts'
import { RAIL_PAYMENT_TRANSITIONS, type RailPaymentState } from '../../storage/rows/states.ts'
import { type SettlingPayment, settlePayment } from './settle-payment.ts'
import {
  EVENTS,
  isContradiction,
  OUTCOMES,
  type Outcome,
  RECORD_EFFECTS,
  SETTLEMENT,
  type Stage,
} from './settlement-table.ts'

const AT = new Date('2026-03-01T12:00:00Z')
const setback = { failureReason: 'OFFRAMP_FAILED', detail: 'Closed' } as const
const RAIL_RESULTS: Readonly<Record<Outcome, RailResult>> = {
  accepted: { outcome: 'accepted', pollAt: AT },
  delivered: { outcome: 'delivered', pollAt: AT },
  failed: { outcome: 'failed', ...setback },
  cancelled: { outcome: 'cancelled', ...setback },
  returned: { outcome: 'returned', ...setback, reason: 'TRANSACTION_FAILED' },
  unknown: { outcome: 'unknown', pollAt: AT, why: 'The connection broke' },
}
const STATES = Object.keys(RAIL_PAYMENT_TRANSITIONS) as RailPaymentState[]
const STAGES = Object.keys(SETTLEMENT) as Stage[]
const listCells = <Row extends string>(rows: readonly Row[]) =>
  rows.flatMap((row) => OUTCOMES.map((outcome) => [row, outcome] as const))

describe('the record of a payment at its rail follows the table', () => {
  test.each(listCells(STATES))(
    'for a record that is %s, the outcome %s has the effect that the state machine allows',
    (state, outcome) => {
      const effect = RECORD_EFFECTS[state][outcome]
      const by = EVENTS[outcome]
      expect(effect === 'move').toBe(by !== null && RAIL_PAYMENT_TRANSITIONS[state][by] !== null)
      expect(effect === 'contradiction').toBe(by !== null && isContradiction(state, by))
      if (by === null) expect(['ask', 'late']).toContain(effect)
    },
  )

  test.each(listCells(STATES))(
    'for a record that is %s, the outcome %s waits for manual review only if it contradicts whether money was sent',
    (state, outcome) => {
      const wasSent = state === 'DELIVERED'
      const wasNeverSent = state === 'FAILED' || state === 'CANCELLED'
      const reportsSent = outcome === 'delivered' || outcome === 'returned'
      const reportsNeverSent = outcome === 'failed' || outcome === 'cancelled'
      expect(RECORD_EFFECTS[state][outcome] === 'contradiction').toBe(
        (wasSent && reportsNeverSent) || (wasNeverSent && reportsSent),
      )
    },
  )
})

/** A payment in a model of the books: where its money is, and the steps that led there. */
class Model implements SettlingPayment {
  stage: Stage
  money: 'held' | 'out' | 'back' = 'held'
  readonly done: string[] = []
  readonly again: RailProgress[] = []
  answer: RailResult

  constructor(stage: Stage, answer: RailResult) {
    this.stage = stage
    this.answer = answer
    if (stage === 'SETTLED') this.money = 'out'
    if (stage === 'ENDED') this.money = 'back'
  }

  callRail = async () => ({ answer: this.answer, writes: [] })
  settle = () => this.#moves('settle', 'held', 'out', 'SETTLED')
  fail = () => this.#moves('fail', 'held', 'back', 'ENDED')
  bounce = () => this.#moves('bounce', 'held', 'back', 'ENDED')
  reverse = () => this.#moves('reverse', 'out', 'back', 'ENDED')
  schedulePoll = (_: Date, progress: RailProgress): Write => {
    this.again.push(progress)
    return { write: 'remove', table: 'jobs', id: 'Job:1' }
  }

  #moves(by: string, from: Model['money'], to: Model['money'], stage: Stage): Write[] {
    expect(this.money).toBe(from)
    this.done.push(by)
    this.money = to
    this.stage = stage
    return []
  }
}

describe('the money of a payment follows the table', () => {
  test.each(listCells(STAGES))(
    'a payment that is %s moves its money on the outcome %s only as the table says',
    async (stage, outcome) => {
      const payment = new Model(stage, RAIL_RESULTS[outcome])
      await settlePayment(payment)
      const effect = SETTLEMENT[stage][outcome]
      expect(payment.done).toEqual(effect === 'wait' || effect === 'none' ? [] : [effect])
      const isPolledAgain = stage !== 'ENDED' && 'pollAt' in RAIL_RESULTS[outcome]
      const isDelivered = stage === 'SETTLED' || outcome === 'delivered'
      const progress = isDelivered
        ? { alreadySubmitted: true, mayComeBack: true }
        : { alreadySubmitted: true }
      expect(payment.again).toEqual(isPolledAgain ? [progress] : [])
    },
  )

  test('a payment ends paid out or returned and moves at most twice, for any reports in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...OUTCOMES), { maxLength: 30 }), async (outcomes) => {
        const payment = new Model('OPEN', RAIL_RESULTS.accepted)
        for (const outcome of outcomes) {
          payment.answer = RAIL_RESULTS[outcome]
          await settlePayment(payment)
        }
        const first = outcomes.find((one) => one !== 'accepted' && one !== 'unknown')
        const isDelivered = first === 'delivered'
        const hasReturned = isDelivered && outcomes.indexOf('returned') > outcomes.indexOf('delivered')
        expect(payment.money).toBe(
          first === undefined ? 'held' : isDelivered && !hasReturned ? 'out' : 'back',
        )
        expect(payment.done.length).toBeLessThanOrEqual(2)
      }),
    )
  })
})
