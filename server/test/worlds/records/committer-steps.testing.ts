import fc from 'fast-check'
import { addSeconds } from '../../../src/kernel/operation/app.ts'
import { expectRow, insert, update, type Write } from '../../../src/storage/commit/writes.ts'
import type { RailPaymentRow } from '../../../src/storage/rows/rail.ts'
import {
  ACCOUNTS,
  event,
  HELD,
  holder,
  ids,
  newJob,
  newKey,
  newRailPayment,
  newRole,
  newTransaction,
  now,
  RECORDS,
  SYSTEM,
  sides,
  transfer,
  type World,
} from './committer-world.testing.ts'
import { railEvent } from './payments.testing.ts'

/** One write, or several that belong together. `fresh` is a string that occurs nowhere else in the world. */
type Step = (world: World, fresh: string) => Write[]

/** Sometimes more than an account can spend. */
const amount = fc
  .oneof(
    { weight: 7, arbitrary: fc.integer({ min: 1, max: 30 }) },
    { weight: 1, arbitrary: fc.constant(200) },
  )
  .map(BigInt)
const account = fc.constantFrom(...ACCOUNTS)
const record = fc.noBias(fc.nat(RECORDS - 1))
/** Usually no writes. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 15, arbitrary: fc.constant(null) }, { weight: 1, arbitrary })
/** Usually the initial state of the records. */
const state = fc.constantFrom<'PENDING' | 'FAILED'>(...Array(11).fill('PENDING'), 'FAILED')

/** Usually the initial state of payments at a rail. */
const railState = fc.constantFrom<'GIVEN' | 'DELIVERED'>(...Array(11).fill('GIVEN'), 'DELIVERED')
/** The fields that a rail reports in addition to the state. */
const railFields = fc.constantFrom<Partial<RailPaymentRow>>(
  {},
  { rail_reference: 'bank-1' },
  { rail_reference: 'bank-2', delivered_at: now },
  { delivered_at: now, transaction_hash: '0x1' },
  { failure: { code: 'OFFRAMP_FAILED', message: 'closed' } },
)

const soundStep: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(account, fc.constantFrom(SYSTEM, 'nobody'), amount).map(
    ([from, to, moved]): Step =>
      (world, fresh) => [transfer(world, fresh, from, to, moved, 'pending')],
  ),
  fc
    .tuple(account, fc.constantFrom(...ACCOUNTS, SYSTEM), amount)
    .filter(([from, to]) => from !== to)
    .map(
      ([from, to, moved]): Step =>
        (world, fresh) => [transfer(world, fresh, from, to, moved)],
    ),
  fc.tuple(account, amount).map(
    ([to, moved]): Step =>
      (world, fresh) => [
        transfer(world, fresh, SYSTEM, to, moved),
        transfer(world, `${fresh}-more`, SYSTEM, to, 1n),
      ],
  ),
  // Usually with the held amount and account. The captured part sometimes leaves a remainder.
  fc
    .tuple(
      record,
      fc.constantFrom('posted' as const, 'voided' as const),
      rarely(amount),
      rarely(account),
      fc.boolean(),
    )
    .map(
      ([n, state, other, of, hasRemainder]): Step =>
        (world, fresh) => [
          {
            ...sides(world, of ?? holder(n), SYSTEM, other ?? HELD),
            write: 'end',
            id: ids.transfer(world, n),
            state,
          },
          ...(hasRemainder && state === 'voided'
            ? [
                transfer(world, fresh, holder(n), SYSTEM, 5n),
                transfer(world, `${fresh}-rest`, holder(n), SYSTEM, HELD - 5n, 'pending'),
              ]
            : []),
        ],
    ),
  rarely(record).map(
    (n): Step =>
      (world, fresh) => [newJob(world, n ?? fresh)],
  ),
  record.map(
    (n): Step =>
      (world) => [{ write: 'remove', table: 'jobs', id: ids.job(world, n) }],
  ),
  rarely(record).map(
    (n): Step =>
      (world, fresh) => [newTransaction(world, fresh, n === null ? fresh : `old-${n}`)],
  ),
  // Changes a quote and its transaction, as an execution does.
  fc.tuple(record, state, state).map(
    ([n, from, to]): Step =>
      (world) => [
        update(
          'transactions',
          ids.transaction(world, n),
          { state: from },
          { hold_id: ids.transfer(world, n), state: to, updated_at: now },
        ),
      ],
  ),
  fc.tuple(record, state, state).map(
    ([n, from, to]): Step =>
      (world) => [
        update(
          'transactions',
          ids.transaction(world, n),
          { state: from, hold_id: null },
          { state: to, settled_at: now },
        ),
      ],
  ),
  rarely(record).map(
    (n): Step =>
      (world, fresh) => [
        newRailPayment(world, n ?? fresh),
        insert('rail_events', railEvent(world.platformId, ids.railEvent(world, n ?? fresh), now)),
      ],
  ),
  // A rail's report that it has received, delivered or failed a payment, with the reason.
  fc.tuple(record, railState, railState, railFields).map(
    ([n, from, to, more]): Step =>
      (world) => [
        update(
          'rail_payments',
          ids.railPayment(world, n),
          { state: from },
          { state: to, ...more, updated_at: addSeconds(now, 1) },
        ),
      ],
  ),
  fc.tuple(record, state).map(
    ([n, expectedState]): Step =>
      (world) => [expectRow('transactions', ids.transaction(world, n), { state: expectedState })],
  ),
  fc
    .oneof(
      { weight: 9, arbitrary: fc.integer({ min: 1, max: 50 }) },
      { weight: 1, arbitrary: fc.constant(0) },
    )
    .map(
      (n): Step =>
        (world) => [newKey(world, n, 7200)],
    ),
  fc.tuple(account, fc.boolean()).map(
    ([shown, isShowing]): Step =>
      (world, fresh) => [
        isShowing
          ? event(world, fresh, ids.account(world, shown), true)
          : event(world, fresh, ids.transaction(world, shown)),
      ],
  ),
  fc.constantFrom('a', 'new').map(
    (opened): Step =>
      (world, fresh) => [
        {
          write: 'open',
          id: ids.account(world, opened),
          platformId: world.platformId,
          owner: ids.owner(world),
          name: null,
          currency: 'USD',
          normalSide: 'credit',
          mayOverdraw: false,
        },
        event(world, fresh, ids.account(world, opened), true),
      ],
  ),
)

/** Writes that depend on their order within the set. */
const orderedStep: fc.Arbitrary<Step> = fc.oneof(
  // A role is deleted or renamed, and another role gets its name, before or after that.
  fc.tuple(record, fc.boolean(), fc.boolean()).map(
    ([n, isDeleted, isFirst]): Step =>
      (world, fresh) => {
        const set = isDeleted ? { deleted_at: now } : { name: `role ${fresh}` }
        const change = update(
          'member_roles',
          ids.role(world, n),
          { deleted_at: null, name: `role ${n}` },
          set,
        )
        const other = newRole(world, fresh, `role ${n}`)
        return isFirst ? [change, other] : [other, change]
      },
  ),
  fc.tuple(record, record).map(
    ([n, other]): Step =>
      (world) => [update('member_roles', ids.role(world, n), {}, { name: `role ${other}` })],
  ),
  // A record that changes several times.
  fc.tuple(record, fc.array(fc.tuple(state, state), { minLength: 2, maxLength: 3 })).map(
    ([n, changes]): Step =>
      (world) =>
        changes.flatMap(([from, to]) => [
          expectRow('transactions', ids.transaction(world, n), { state: from }),
          update('transactions', ids.transaction(world, n), { state: from }, { state: to, settled_at: now }),
        ]),
  ),
  rarely(record).map(
    (n): Step =>
      (world, fresh) => [
        newTransaction(world, fresh, n === null ? fresh : `old-${n}`),
        update('transactions', ids.transaction(world, fresh), { state: 'PENDING' }, { state: 'FAILED' }),
      ],
  ),
)

/** A step with a fault. Only the caller of its write set may get the error. */
const faultyStep = fc.constantFrom<Step>(
  (world, fresh) => [transfer(world, fresh, 'a', 'nobody', 1n)],
  (world, fresh) => [{ ...transfer(world, fresh, 'a', 'b', 1n), currency: 'EUR' } as Write],
  (world, fresh) => [transfer(world, fresh, 'a', 'b', 0n)],
  (world, fresh) => [transfer(world, fresh, 'a', 'a', 1n)],
)

const step = fc.oneof(
  { weight: 80, arbitrary: soundStep },
  { weight: 10, arbitrary: orderedStep },
  { weight: 1, arbitrary: faultyStep },
)

/** Several write sets, which may conflict. */
export const batch = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 10 })

/** Turns steps into write sets in a world. Each set has an event with the set's number. */
export function buildWriteSets(steps: readonly (readonly Step[])[], world: World): Write[][] {
  return steps.map((set, n) => [
    ...set.flatMap((buildWrites, index) => buildWrites(world, `${n}-${index}`)),
    event(world, `set-${n}`, ids.owner(world)),
  ])
}
