import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { plusSeconds } from '../src/app.ts'
import { createCommitter } from '../src/db/committer.ts'
import type { Database } from '../src/db/port.ts'
import { expectRow, insert, keep, update, type Write } from '../src/db/writes.ts'
import { toJson } from '../src/json.ts'
import { openApp } from './open-app.testing.ts'

vi.setConfig({ testTimeout: 120_000 })

const RUNS = 60
const now = new Date('2026-03-01T12:00:00.000Z')

let host: Awaited<ReturnType<typeof openApp>>
beforeAll(async () => {
  host = await openApp()
})
afterAll(() => host.close())

/** A platform with records that write sets can fight about. In all its ids and texts stands its name. */
interface World {
  readonly name: string
  readonly platformId: string
}

const ACCOUNTS = ['a', 'b', 'c'] as const
/** Of each kind of record that sets can meet at. */
const RECORDS = 30
const SYSTEM = 'system'
const ids = {
  account: (world: World, account: string) => `InternalAccount:${world.name}-${account}`,
  hold: (world: World, n: number | string) => `Hold:${world.name}-${n}`,
  job: (world: World, n: number | string) => `Job:${world.name}-${n}`,
  transaction: (world: World, n: number | string) => `Transaction:${world.name}-${n}`,
}

/** The account that a hold is on. */
const holder = (n: number) => ACCOUNTS[n % ACCOUNTS.length]!

async function makeWorld(name: string): Promise<World> {
  const { platform } = await host.newPlatform()
  const world = { name, platformId: platform.id }
  const caused = { platformId: platform.id, cause: 'test', causeId: name, at: now }
  const open = (account: string, mayOverdraw: boolean): Write => ({
    write: 'open',
    id: ids.account(world, account),
    platformId: platform.id,
    owner: name,
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
    { ...caused, write: 'post', id: `LedgerTransfer:${name}-first`, entries },
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
  return insert('jobs', {
    id: ids.job(world, n),
    platform_id: world.platformId,
    kind: 'quote.expire',
    payload: { n },
    // Nobody does it meanwhile.
    due_at: plusSeconds(now, 3e9),
    attempts: 0,
    claimed_until: null,
    last_error: null,
    created_at: now,
  })
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
    details: { exact: 9_007_199_254_740_993n },
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
  causeId: world.name,
  at: now,
})

function post(world: World, fresh: string, entries: readonly (readonly [string, bigint])[]): Write {
  return {
    ...caused(world),
    write: 'post',
    id: `LedgerTransfer:${world.name}-${fresh}`,
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
          owner: world.name,
          currency: 'USD',
          normalSide: 'credit',
          mayOverdraw: false,
        },
        event(world, fresh, ids.account(world, opened), ids.account(world, opened)),
      ],
  ),
)

/** Thrown at its own caller only. */
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
    id: `Event:${world.name}-${fresh}`,
    platformId: world.platformId,
    type: 'INTERNAL_ACCOUNT.BALANCE_UPDATED',
    objectId,
    data: { balance: { amount: 0n }, totalBalance: { amount: 0n }, exact: 9_007_199_254_740_993n },
    ...(balanceOf === undefined ? {} : { balanceOf }),
    at: now,
  }
}

/** Each set ends with an event that tells which one it is. */
const batch = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 10 })

function setsOf(steps: readonly (readonly Step[])[], world: World): Write[][] {
  return steps.map((set, n) => [
    ...set.flatMap((one, place) => one(world, `${n}-${place}`)),
    event(world, `set-${n}`, `Object:${world.name}`),
  ])
}

const setNumber = (world: World) => new RegExp(`Event:${world.name}-set-(\\d+)"`, 'g')

/** Everything at once through the committer. Gives what came of each set, and in which order they were written. */
async function throughCommitter(world: World, sets: readonly Write[][]) {
  const order: number[] = []
  let together = 0
  const { db } = host.app
  const query = async (sql: string, parameters: readonly unknown[] = []) => {
    const numbers = [...String(parameters[0]).matchAll(setNumber(world))].map(([, n]) => Number(n))
    const answer = await db.query(sql, parameters).catch((error) => {
      // A fault of its own set has its place as well.
      if (numbers.length === 1 && sql.includes('commit_write_sets')) order.push(...numbers)
      throw error
    })
    order.push(...numbers)
    if (sql.includes('commit_together')) together += numbers.length
    return answer
  }
  const { commit } = createCommitter({ ...db, query: query as Database['query'] })
  // While this is under way the others gather.
  const first = commit([])
  const results = await Promise.allSettled(sets.map((set) => commit(set)))
  expect(await first).toEqual({ done: true })
  return {
    order,
    together,
    results: results.map((one) => (one.status === 'fulfilled' ? one.value : 'fault')),
  }
}

/** One after the other through the exact function, each in a transaction of its own. */
async function inTurn(sets: readonly Write[][], order: readonly number[]): Promise<unknown[]> {
  const results: unknown[] = []
  for (const n of order) {
    const text = toJson([sets[n]])
    const one = await host.app.db
      .query<{ results: (object | null)[] }>('SELECT commit_write_sets($1::jsonb) AS results', [text])
      .then(({ rows: [row] }) => (row!.results[0] ? { done: false, ...row!.results[0] } : { done: true }))
      .catch(() => 'fault')
    results[n] = one
  }
  return results
}

const TABLES: Readonly<Record<string, string>> = {
  ledger_accounts: 'id',
  ledger_transfers: 'id',
  ledger_holds: 'id',
  transactions: 'id',
  jobs: 'id',
  idempotency_keys: 'scope, key',
  events: 'position',
}

/** All that a world has, without its name. */
async function contents(world: World): Promise<unknown> {
  const { db } = host.app
  const all: Record<string, unknown> = {}
  for (const [table, order] of Object.entries(TABLES)) {
    const { rows } = await db.query(`SELECT * FROM ${table} WHERE platform_id = $1 ORDER BY ${order}`, [
      world.platformId,
    ])
    // The platform's own accounts are not the world's.
    all[table] = rows
      .filter(({ owner }) => owner !== world.platformId)
      .map(({ position: _, committed_in: __, ...row }) => row)
  }
  const entries = await db.query(
    `SELECT e.* FROM ledger_entries e JOIN ledger_transfers t ON t.id = e.transfer_id WHERE t.platform_id = $1
     ORDER BY transfer_id, line`,
    [world.platformId],
  )
  const text = JSON.stringify({ ...all, entries: entries.rows }, (_, value) =>
    typeof value === 'bigint' ? `${value}n` : value,
  )
  return JSON.parse(text.replaceAll(world.platformId, 'PLATFORM').replaceAll(world.name, 'WORLD'))
}

test('a batch has the results and leaves the rows of its sets one after the other, in some order', async () => {
  let worlds = 0
  const counts = { together: 0, inTurn: 0, done: 0, refused: 0, faults: 0 }
  await fc.assert(
    fc.asyncProperty(batch, async (steps) => {
      worlds += 1
      const [one, other] = [await makeWorld(`w${worlds}one`), await makeWorld(`w${worlds}two`)]
      const sets = setsOf(steps, one)
      const { order, together, results } = await throughCommitter(one, sets)
      expect([...order].sort((a, b) => a - b)).toEqual(sets.map((_, n) => n))
      expect(await inTurn(setsOf(steps, other), order)).toEqual(results)
      expect(await contents(other)).toEqual(await contents(one))
      counts.together += together
      counts.inTurn += sets.length - together
      for (const result of results)
        counts[result === 'fault' ? 'faults' : result.done ? 'done' : 'refused'] += 1
    }),
    { numRuns: RUNS },
  )
  // Of everything there was a good deal.
  const { faults, ...others } = counts
  expect(Math.min(...Object.values(others)), JSON.stringify(counts)).toBeGreaterThan(RUNS / 5)
  expect(faults).toBeGreaterThan(0)
})
