import type { IdKind, InternalIdKind } from '@countersign/contract/core/ids'
import fc from 'fast-check'
import { expect } from 'vitest'
import { expectRow, insert, keep, update, type Write, withValues } from '../src/db/commit/writes.ts'
import { plusSeconds } from '../src/op/app.ts'
import { testId } from './ids.testing.ts'
import type { openApp } from './open-app.testing.ts'

type Host = Awaited<ReturnType<typeof openApp>>

const now = new Date('2026-03-01T12:00:00.000Z')

/** A platform with records on which write sets can conflict. All its ids and texts contain its name, eight hex digits. */
export interface World {
  readonly name: string
  readonly platformId: string
}

const ACCOUNTS = ['a', 'b', 'c'] as const
/** Of each kind of record that sets can meet at. */
const RECORDS = 30
const SYSTEM = 'system'
const ids = {
  account: (world: World, account: string) => idIn(world, 'InternalAccount', account),
  hold: (world: World, n: number | string) => idIn(world, 'Hold', n),
  job: (world: World, n: number | string) => idIn(world, 'Job', n),
  transaction: (world: World, n: number | string) => idIn(world, 'Transaction', n),
  transfer: (world: World, n: number | string) => idIn(world, 'LedgerTransfer', n),
  event: (world: World, n: number | string) => idIn(world, 'Event', n),
  owner: (world: World) => idIn(world, 'Customer', 'owner'),
}

/** Begins with the name of the world. The rest is the same in all worlds. */
function idIn({ name }: World, kind: IdKind | InternalIdKind, n: number | string): string {
  return testId(kind, n).replace(/:.{8}-/, `:${name}-`)
}

/** The id of the event that says the number of a set. */
export const setId = (world: World, n: number) => ids.event(world, `set-${n}`)

/** The account that a hold is on. */
const holder = (n: number) => ACCOUNTS[n % ACCOUNTS.length]!

export async function makeWorld(host: Host, name: string): Promise<World> {
  const { platform } = await host.newPlatform()
  const world = { name, platformId: platform.id }
  const caused = { platformId: platform.id, cause: 'test', causeId: ids.owner(world), at: now }
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
  const entries = [
    ...ACCOUNTS.map((account) => ({ account: ids.account(world, account), amount: 400n })),
    { account: ids.account(world, SYSTEM), amount: -1_200n },
  ]
  const writes: Write[] = [
    ...ACCOUNTS.map((account) => open(account, false)),
    open(SYSTEM, true),
    { ...caused, write: 'post', id: ids.transfer(world, 'first'), entries },
    ...Array.from({ length: RECORDS }, (_, n): Write[] => [
      {
        ...caused,
        write: 'hold',
        id: ids.hold(world, n),
        account: ids.account(world, holder(n)),
        amount: 20n,
      },
      newJob(world, n),
      newTransaction(world, n, `old-${n}`),
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
    // Nobody does it meanwhile.
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

/** One write, or a few that belong together. `fresh` is a text that nothing else of the world has. */
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
/** Mostly as the records are at first. */
const state = fc.constantFrom<'PENDING' | 'FAILED'>(...Array(11).fill('PENDING'), 'FAILED')
const caused = (world: World) => ({
  platformId: world.platformId,
  cause: 'test',
  causeId: ids.owner(world),
  at: now,
})

function post(world: World, fresh: string, entries: readonly (readonly [string, bigint])[]): Write {
  return {
    ...caused(world),
    write: 'post',
    id: ids.transfer(world, fresh),
    entries: entries.map(([name, moved]) => ({ account: ids.account(world, name), amount: moved })),
  }
}

const sound: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(account, amount).map(
    ([from, moved]): Step =>
      (world, fresh) => [
        {
          ...caused(world),
          write: 'hold',
          id: ids.hold(world, fresh),
          account: ids.account(world, from),
          amount: moved,
        },
      ],
  ),
  fc.tuple(account, fc.constantFrom(...ACCOUNTS, SYSTEM), amount).map(
    ([from, to, moved]): Step =>
      (world, fresh) => [
        post(world, fresh, [
          [from, -moved],
          [to, moved],
        ]),
      ],
  ),
  fc.tuple(account, amount).map(
    ([to, moved]): Step =>
      (world, fresh) => [
        post(world, fresh, [
          [SYSTEM, -moved],
          [to, moved - 1n],
          [to, 1n],
        ]),
      ],
  ),
  fc.tuple(record, amount, fc.boolean(), fc.boolean()).map(
    ([n, taken, final, isPosted]): Step =>
      (world, fresh) => [
        {
          write: 'capture',
          hold: ids.hold(world, n),
          account: ids.account(world, holder(n)),
          amount: taken,
          final,
          at: now,
        },
        ...(isPosted
          ? [
              post(world, fresh, [
                [holder(n), -taken],
                [SYSTEM, taken],
              ]),
            ]
          : []),
      ],
  ),
  record.map(
    (n): Step =>
      (world) => [
        { write: 'void', hold: ids.hold(world, n), account: ids.account(world, holder(n)), at: now },
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
        event(world, fresh, ids.account(world, shown), isShowing ? ids.account(world, shown) : undefined),
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
        event(world, fresh, ids.account(world, opened), ids.account(world, opened)),
      ],
  ),
)

/** A fault, thrown at its own caller only. */
const fault = fc.constantFrom<Step>(
  (world, fresh) => [
    post(world, fresh, [
      ['a', 1n],
      ['b', 1n],
    ]),
  ],
  (world, fresh) => [
    post(world, fresh, [
      ['a', 1n],
      ['nobody', -1n],
    ]),
  ],
)

const step = fc.oneof({ weight: 80, arbitrary: sound }, { weight: 1, arbitrary: fault })

function event(world: World, fresh: string, objectId: string, balanceOf?: string): Write {
  return {
    write: 'event',
    id: ids.event(world, fresh),
    platformId: world.platformId,
    type: 'INTERNAL_ACCOUNT.BALANCE_UPDATED',
    objectId,
    data: { balance: { amount: 0n }, totalBalance: { amount: 0n }, exact: 9_007_199_254_740_993n },
    ...(balanceOf === undefined ? {} : { balanceOf }),
    at: now,
  }
}

/** Each set ends with an event that tells which one it is. */
/** Some write sets, which may conflict. */
export const batch = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 10 })

/** The write sets in a world, each with an event that says its number. */
export function setsOf(steps: readonly (readonly Step[])[], world: World): Write[][] {
  return steps.map((set, n) => [
    ...set.flatMap((one, place) => one(world, `${n}-${place}`)),
    event(world, `set-${n}`, ids.owner(world)),
  ])
}
