import type { DifferenceReason } from '@countersign/contract/operation/reconciliations'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compare, type Difference, type Item, type OpenEntry, type StatedDay } from './compare.ts'

const DAYS = 4
const toDate = (day: number) => `2026-03-0${day + 1}`
/** The time `hours` after the start of day 0 in UTC. */
const at = (hours: number) => new Date(Date.UTC(2026, 2, 1) + hours * 3_600_000)

/** A payment's bookings at the bank, the delay until the ledger has them, and the injected fault. */
interface Story {
  readonly amount: bigint
  readonly bookedDay: number
  /** Days until the money is returned; undefined if it never is. */
  readonly returnsAfter: number | undefined
  /** Hours between the bank's booking and the ledger's; negative if the ledger was first. */
  readonly ledgerDelayHours: number
  readonly fault: DifferenceReason | undefined
}

const FAULTS = [
  'NOT_IN_STATEMENT',
  'NOT_IN_BOOKS',
  'OTHER_AMOUNT',
  'OTHER_CURRENCY',
  'UNKNOWN',
  'BOOKED_TWICE',
] as const satisfies readonly DifferenceReason[]

const storyArbitrary: fc.Arbitrary<Story> = fc.record({
  amount: fc.oneof(fc.bigInt({ min: -500n, max: -2n }), fc.bigInt({ min: 2n, max: 500n })),
  bookedDay: fc.integer({ min: 0, max: DAYS - 1 }),
  returnsAfter: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  ledgerDelayHours: fc.integer({ min: -20, max: 60 }),
  fault: fc.option(fc.constantFrom(...FAULTS), { nil: undefined, freq: 3 }),
})

interface Booked {
  readonly day: number
  readonly amount: bigint
  readonly item: string
  readonly kind: 'first' | 'return'
}

interface Moved {
  readonly at: Date
  readonly amount: bigint
  readonly item: string
}

/**
 * Both sides of a story after the last day. Statements recover lost events, so the ledger has every report.
 */
function buildSides(story: Story, item: string): { readonly booked: Booked[]; readonly moved: Moved[] } {
  const { amount, bookedDay, fault } = story
  const returns = fault === undefined ? story.returnsAfter : undefined
  const stated = fault === 'OTHER_AMOUNT' ? amount + 1n : amount
  const first: Booked = { day: bookedDay, amount: stated, item, kind: 'first' }
  const returnDay = returns === undefined ? DAYS : bookedDay + returns
  const booked =
    fault === 'NOT_IN_STATEMENT'
      ? []
      : [
          first,
          ...(fault === 'BOOKED_TWICE' ? [first] : []),
          ...(returnDay < DAYS ? [{ day: returnDay, amount: -amount, item, kind: 'return' } as const] : []),
        ]
  const isMissing = fault === 'NOT_IN_BOOKS' || fault === 'UNKNOWN' || fault === 'OTHER_CURRENCY'
  // A payment that no statement contains is made well before the end of its day.
  const hours = fault === 'NOT_IN_STATEMENT' ? bookedDay * 24 : bookedDay * 24 + 20 + story.ledgerDelayHours
  const moved = isMissing
    ? []
    : [
        { at: at(hours), amount, item },
        ...(returnDay < DAYS
          ? [{ at: at(returnDay * 24 + 20 + story.ledgerDelayHours), amount: -amount, item }]
          : []),
      ]
  return { booked, moved }
}

function buildItem(
  story: Story,
  id: string,
  booked: readonly Booked[],
  moved: readonly Moved[],
  day: number,
): Item {
  const cut = at((day + 1) * 24)
  const mine = moved.filter(({ item }) => item === id)
  const theirs = booked.filter((entry) => entry.item === id && entry.day <= day)
  const sum = (list: readonly { readonly amount: bigint }[]) =>
    list.reduce((total, { amount }) => total + amount, 0n)
  const kinds = theirs.map(({ kind }) => kind)
  const known = { UNKNOWN: 'unknown', OTHER_CURRENCY: 'other-currency' } as const
  return {
    id,
    ours: sum(mine),
    oursByCut: sum(mine.filter((movement) => movement.at < cut)),
    oursSince: mine.map((movement) => movement.at).sort((a, b) => a.getTime() - b.getTime())[0],
    theirs: sum(theirs),
    theirsSince: theirs.length === 0 ? undefined : at(Math.min(...theirs.map((entry) => entry.day)) * 24),
    isTwice: new Set(kinds).size < kinds.length,
    known: story.fault === 'UNKNOWN' || story.fault === 'OTHER_CURRENCY' ? known[story.fault] : 'here',
  }
}

const reasons = (differences: readonly Difference[]) =>
  differences.map(({ about, reason }) => `${about ?? ''} ${reason}`).sort()

test('reconciliation reports exactly the injected differences and amounts after the last statement', () => {
  fc.assert(
    fc.property(
      fc.array(storyArbitrary, { maxLength: 12 }),
      fc.array(
        fc.record({ day: fc.integer({ min: 0, max: DAYS - 1 }), amount: fc.bigInt({ min: 1n, max: 9n }) }),
        {
          maxLength: 3,
        },
      ),
      fc.record({
        opening: fc.bigInt({ min: 0n, max: 2n }),
        gap: fc.bigInt({ min: 0n, max: 2n }),
        wrong: fc.bigInt({ min: 0n, max: 2n }),
      }),
      (stories, others, { opening, gap, wrong }) => {
        const sides = stories.map((story, index) => buildSides(story, `Transaction:${index}`))
        const booked = sides.flatMap((side) => side.booked)
        const moved = sides.flatMap((side) => side.moved)
        const posted = moved.reduce((sum, { amount }) => sum + amount, 0n)
        const days: StatedDay[] = []
        for (let day = 0; day < DAYS; day++) {
          const entries = [...booked, ...others].filter((entry) => entry.day === day)
          const sum = entries.reduce((total, { amount }) => total + amount, 0n)
          const begins = (days.at(-1)?.closing ?? opening) + (day === 2 ? gap : 0n)
          const closing = begins + sum + (day === 1 ? wrong : 0n)
          days.push({ date: toDate(day), opening: begins, closing, sum })
          const open: OpenEntry[] = others.flatMap((other, index) =>
            other.day <= day
              ? [
                  {
                    id: `StatementEntry:${index}`,
                    amount: other.amount,
                    bookedAt: at(day * 24),
                    reason: 'UNEXPLAINED',
                  },
                ]
              : [],
          )
          const items = stories.map((story, index) =>
            buildItem(story, `Transaction:${index}`, booked, moved, day),
          )
          const found = compare(days, items, open, { posted, bookedLater: 0n })
          const total = found.differences.reduce((whole, { amount }) => whole + amount, 0n)
          expect(closing - found.balance).toBe(total)
          expect(found.balance + found.later).toBe(posted)
          if (day < DAYS - 1) continue
          expect(reasons(found.differences)).toEqual(
            [
              ...stories.flatMap(({ fault }, index) => (fault ? [`Transaction:${index} ${fault}`] : [])),
              ...others.map((_, index) => `StatementEntry:${index} UNEXPLAINED`),
              ...(opening > 0n ? [' OPENING_BALANCE'] : []),
              ...(gap > 0n ? [' BALANCE_GAP'] : []),
              ...(wrong > 0n ? [' WRONG_SUM'] : []),
            ].sort(),
          )
        }
      },
    ),
    { numRuns: 300 },
  )
})

test('a ledger transfer after the end of a statement day is compared with the next statement', () => {
  const day = { date: '2026-03-01', opening: 0n, closing: 0n, sum: 0n }
  const item: Item = {
    id: 'Transaction:1',
    ours: -5n,
    oursByCut: 0n,
    oursSince: at(25),
    theirs: 0n,
    theirsSince: undefined,
    isTwice: false,
    known: 'here',
  }
  expect(compare([day], [item], [], { posted: -5n, bookedLater: 0n })).toEqual({
    differences: [],
    balance: 0n,
    later: -5n,
  })
  expect(
    compare([day], [{ ...item, oursByCut: -5n }], [], { posted: -5n, bookedLater: 0n }).differences,
  ).toEqual([{ reason: 'NOT_IN_STATEMENT', amount: 5n, since: at(25), about: 'Transaction:1' }])
})

test('an unexplained rest of a statement is reported as UNACCOUNTED', () => {
  const day = { date: '2026-03-01', opening: 0n, closing: 7n, sum: 7n }
  expect(compare([day], [], [], { posted: 0n, bookedLater: 0n }).differences).toEqual([
    { reason: 'UNACCOUNTED', amount: 7n, since: at(0) },
  ])
})
