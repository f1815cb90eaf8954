import type { IdKind, InternalIdKind } from '@countersign/contract/core/ids'
import fc from 'fast-check'
import { expect } from 'vitest'
import { plusSeconds } from '../../../src/kernel/operation/app.ts'
import {
  expectRow,
  insert,
  keep,
  update,
  type Write,
  withValues,
} from '../../../src/storage/commit/writes.ts'
import type { RailPaymentRow } from '../../../src/storage/rows/rail.ts'
import type { SharedServer } from '../server.testing.ts'
import { railEvent, railPayment, testId } from './payments.testing.ts'

type Host = SharedServer

const now = new Date('2026-03-01T12:00:00.000Z')

/**
 * A platform with records on which write sets can conflict. All its ids and strings contain its name, eight
 * hex digits.
 */
export interface World {
  readonly name: string
  readonly platformId: string
}

const ACCOUNTS = ['a', 'b', 'c'] as const
/** For each kind of record on which sets can conflict. */
const RECORDS = 30
const SYSTEM = 'system'
/** Held by each pending transfer. */
const HELD = 20n
const ids = {
  account: (world: World, account: string) => idIn(world, 'InternalAccount', account),
  transfer: (world: World, n: number | string) => idIn(world, 'LedgerTransfer', n),
  job: (world: World, n: number | string) => idIn(world, 'Job', n),
  transaction: (world: World, n: number | string) => idIn(world, 'Transaction', n),
  event: (world: World, n: number | string) => idIn(world, 'Event', n),
  railPayment: (world: World, n: number | string) => idIn(world, 'RailPayment', n),
  railEvent: (world: World, n: number | string) => idIn(world, 'RailEvent', n),
  owner: (world: World) => idIn(world, 'Customer', 'owner'),
}

/** Begins with the name of the world. The rest is the same in all worlds. */
function idIn({ name }: World, kind: IdKind | InternalIdKind, n: number | string): string {
  return testId(kind, n).replace(/:.{8}-/, `:${name}-`)
}

/** The id of the event that has the number of a set. */
export const setId = (world: World, n: number) => ids.event(world, `set-${n}`)

/** The account that a hold is on. */
const holder = (n: number) => ACCOUNTS[n % ACCOUNTS.length]!

export async function makeWorld(host: Host, name: string): Promise<World> {
  const { platform } = await host.newOp()
  const world = { name, platformId: platform.id }
  const open = (account: string, mayOverdraw: boolean): Write => ({
    write: 'open',
    id: ids.account(world, account),
    platformId: platform.id,
    owner: ids.owner(world),
    name: null,
    currency: 'USD',
    normalSide: mayOverdraw ? 'debit' : 'credit',
    mayOverdraw,
  })
  const writes: Write[] = [
    ...ACCOUNTS.map((account) => open(account, false)),
    open(SYSTEM, true),
    ...ACCOUNTS.map((to) => transfer(world, `first-${to}`, SYSTEM, to, 400n)),
    ...Array.from({ length: RECORDS }, (_, n): Write[] => [
      transfer(world, n, holder(n), SYSTEM, HELD, 'pending'),
      newJob(world, n),
      newTransaction(world, n, `old-${n}`),
      newRailPayment(world, n),
    ]).flat(),
    newKey(world, 0, 3600),
    newKey(world, 1, -3600),
  ]
  expect(await host.app.committer.commit(writes)).toEqual({ done: true })
  return world
}

function newJob(world: World, n: number | string): Write {
  const row = insert('jobs', {
    id: ids.job(world, n),
    platform_id: world.platformId,
    kind: 'quote.expire',
    payload: { quoteId: String(n) },
    // No other process claims it during the test.
    due_at: plusSeconds(now, 3e9),
    attempts: 0,
    claimed_until: null,
    last_error: null,
    created_at: now,
  })
  // Written like a job that starts at once.
  return withValues(row, { attempts: 1, claimed_until: now })
}

function newTransaction(world: World, n: number | string, reference: string): Write {
  return insert('transactions', {
    id: ids.transaction(world, n),
    platform_id: world.platformId,
    customer_id: null,
    kind: 'TRANSFER_OUT',
    type: 'INCOMING',
    direction: 'DEBIT',
    state: 'PENDING',
    source_account_id: null,
    destination_account_id: null,
    source_identifier: null,
    destination_identifier: null,
    sent_amount: 9_007_199_254_740_993n,
    sent_currency: 'USD',
    received_amount: null,
    received_currency: null,
    fees: null,
    quote_id: null,
    hold_id: null,
    payment_rail: null,
    remittance_information: `"quoted" \\ ${reference}`,
    description: null,
    reference,
    failure_reason: null,
    refund: null,
    details: { fundedAmount: 9_007_199_254_740_993n },
    receipt_delivery_confirmed_at: null,
    agent_id: null,
    settled_at: null,
    created_at: now,
    updated_at: now,
  })
}

function newRailPayment(world: World, n: number | string): Write {
  const [id, paymentId] = [ids.railPayment(world, n), ids.transaction(world, n)]
  return insert('rail_payments', railPayment(world.platformId, id, paymentId, now))
}

function newKey(world: World, n: number, expiresInSeconds: number): Write {
  return keep({
    scope: `${world.name} scope`,
    key: `key-${n}`,
    platform_id: world.platformId,
    request_hash: new Uint8Array([n, 255]),
    status: 200,
    body: `{"text": "\\"${n}\\" 😀"}`,
    created_at: now,
    expires_at: plusSeconds(now, expiresInSeconds),
  })
}

/** One write, or a few that belong together. `fresh` is a string that nothing else in the world has. */
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
/** Mostly nothing. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 15, arbitrary: fc.constant(null) }, { weight: 1, arbitrary })
/** Mostly the initial states of the records. */
const state = fc.constantFrom<'PENDING' | 'FAILED'>(...Array(11).fill('PENDING'), 'FAILED')

/** Mostly the initial states of payments at a rail. */
const railState = fc.constantFrom<'GIVEN' | 'DELIVERED'>(...Array(11).fill('GIVEN'), 'DELIVERED')
/** The fields that a rail reports next to the state. */
const told = fc.constantFrom<Partial<RailPaymentRow>>(
  {},
  { rail_reference: 'bank-1' },
  { rail_reference: 'bank-2', delivered_at: now },
  { delivered_at: now, transaction_hash: '0x1' },
  { failure: { code: 'OFFRAMP_FAILED', message: 'closed' } },
)

function sides(world: World, from: string, to: string, moved: bigint) {
  return {
    platformId: world.platformId,
    debit: ids.account(world, from),
    credit: ids.account(world, to),
    currency: 'USD',
    amount: moved,
    at: now,
  }
}

function transfer(
  world: World,
  n: number | string,
  from: string,
  to: string,
  moved: bigint,
  state: 'pending' | 'posted' = 'posted',
): Write {
  const id = ids.transfer(world, n)
  return {
    ...sides(world, from, to, moved),
    write: 'transfer',
    id,
    state,
    cause: 'test',
    causeId: ids.owner(world),
  }
}

const sound: fc.Arbitrary<Step> = fc.oneof(
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
  // Mostly of the held amount and account; sometimes the taken part leaves a rest.
  fc
    .tuple(
      record,
      fc.constantFrom('posted' as const, 'voided' as const),
      rarely(amount),
      rarely(account),
      fc.boolean(),
    )
    .map(
      ([n, state, other, of, hasRest]): Step =>
        (world, fresh) => [
          {
            ...sides(world, of ?? holder(n), SYSTEM, other ?? HELD),
            write: 'end',
            id: ids.transfer(world, n),
            state,
          },
          ...(hasRest && state === 'voided'
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
  // Changes a quote and its transaction, like an execution.
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
  // A report of a rail: it has a payment, has delivered it, or has failed it, with the reason.
  fc.tuple(record, railState, railState, told).map(
    ([n, from, to, more]): Step =>
      (world) => [
        update(
          'rail_payments',
          ids.railPayment(world, n),
          { state: from },
          { state: to, ...more, updated_at: plusSeconds(now, 1) },
        ),
      ],
  ),
  fc.tuple(record, state).map(
    ([n, is]): Step =>
      (world) => [expectRow('transactions', ids.transaction(world, n), { state: is })],
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

/** A fault, thrown at its own caller only. */
const fault = fc.constantFrom<Step>(
  (world, fresh) => [transfer(world, fresh, 'a', 'nobody', 1n)],
  (world, fresh) => [{ ...transfer(world, fresh, 'a', 'b', 1n), currency: 'EUR' } as Write],
  (world, fresh) => [transfer(world, fresh, 'a', 'b', 0n)],
  (world, fresh) => [transfer(world, fresh, 'a', 'a', 1n)],
)

const step = fc.oneof({ weight: 80, arbitrary: sound }, { weight: 1, arbitrary: fault })

function event(world: World, fresh: string, objectId: string, ofAccount = false): Write {
  return {
    write: 'event',
    id: ids.event(world, fresh),
    platformId: world.platformId,
    type: 'INTERNAL_ACCOUNT.BALANCE_UPDATED',
    objectId,
    data: '{"balance":{"amount":0},"totalBalance":{"amount":0},"exact":9007199254740993}',
    ...(ofAccount ? { ofAccount } : {}),
    at: now,
  }
}

/** Each set ends with an event that identifies it. */
/** Some write sets, which may conflict. */
export const batch = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 10 })

/** The write sets in a world, each with an event that has its number. */
export function setsOf(steps: readonly (readonly Step[])[], world: World): Write[][] {
  return steps.map((set, n) => [
    ...set.flatMap((one, place) => one(world, `${n}-${place}`)),
    event(world, `set-${n}`, ids.owner(world)),
  ])
}
