import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LedgerEntry, Write } from '../../src/db/commit/writes.ts'
import { captureAll, findBalances, hold, openAccount, post, release } from '../../src/ledger/ledger.ts'
import type { Op } from '../../src/op/app.ts'
import { testId } from '../ids.testing.ts'
import { openApp } from '../open-app.testing.ts'

type TestApp = Awaited<ReturnType<typeof openApp>>
let host: TestApp
let op: Op

beforeAll(async () => {
  host = await openApp()
  op = await host.newPlatform()
})
afterAll(() => host.close())

const cause = { cause: 'sandbox_fund', causeId: testId('InternalAccount', 'funded') } as const
const commit = (writes: readonly Write[]) => host.app.committer.commit(writes)

async function account(amount: bigint): Promise<string> {
  const id = op.newId('InternalAccount')
  const fund = post(op, cause, [
    { account: id, amount },
    { system: 'rail', currency: 'USD', amount: -amount },
  ])
  const { done } = await commit([
    openAccount(op, id, testId('Customer', 1), 'USD'),
    ...(amount > 0n ? fund : []),
  ])
  expect(done).toBe(true)
  return id
}

const balance = async (id: string) => (await findBalances(op, [id])).get(id)

function rawPost(entries: readonly LedgerEntry[]): Write[] {
  return [
    {
      write: 'post',
      id: op.newId('LedgerTransfer'),
      platformId: op.platform.id,
      ...cause,
      at: op.now,
      entries,
    },
  ]
}

describe('the ledger', () => {
  test('moves money between accounts, both sides or neither', async () => {
    const [from, to] = [await account(100n), await account(0n)]
    expect(
      await commit(
        rawPost([
          { account: from, amount: -60n },
          { account: to, amount: 60n },
        ]),
      ),
    ).toEqual({ done: true })
    expect([await balance(from), await balance(to)]).toEqual([
      { available: 40n, total: 40n },
      { available: 60n, total: 60n },
    ])
  })

  test('refuses to overdraw an account by a unit, and writes nothing of that set', async () => {
    const [from, to] = [await account(100n), await account(0n)]
    const result = await commit(
      rawPost([
        { account: from, amount: -101n },
        { account: to, amount: 101n },
      ]),
    )
    expect(result).toMatchObject({ done: false, guard: 'overdraft' })
    expect([await balance(from), await balance(to)]).toEqual([
      { available: 100n, total: 100n },
      { available: 0n, total: 0n },
    ])
  })

  test('refuses a balance beyond int64, and leaves the other sets of the batch alone', async () => {
    const to = await account(0n)
    const receive = (amount: bigint) => {
      const legs = [{ account: to, amount }, { system: 'rail', currency: 'USD', amount: -amount } as const]
      return commit(post(op, cause, legs))
    }
    const results = await Promise.all([receive(3n), receive(2n ** 63n - 1n), receive(4n)])
    expect(results).toEqual([{ done: true }, expect.objectContaining({ guard: 'overflow' }), { done: true }])
    expect(await balance(to)).toEqual({ available: 7n, total: 7n })
  })

  test('of fifty parallel holds on money for seven, seven are granted', async () => {
    const from = await account(7_000n)
    const results = await Promise.all(
      Array.from({ length: 50 }, () => commit([hold(op, cause, from, 1_000n).write])),
    )
    expect(results.filter(({ done }) => done)).toHaveLength(7)
    expect(await balance(from)).toEqual({ available: 0n, total: 7_000n })
  })

  test('a hold is captured or released, once', async () => {
    const [from, to] = [await account(100n), await account(0n)]
    const first = hold(op, cause, from, 30n)
    const second = hold(op, cause, from, 20n)
    await commit([first.write, second.write])
    const legs = [
      { account: from, amount: -30n },
      { account: to, amount: 30n },
    ]
    const capture = () => captureAll(op, cause, { holdId: first.holdId, account: from, amount: 30n }, legs)
    expect(
      (await Promise.all([commit(capture()), commit(capture())])).filter(({ done }) => done),
    ).toHaveLength(1)
    const back = () => commit([release(op, second.holdId, from)])
    expect((await Promise.all([back(), back()])).filter(({ done }) => done)).toHaveLength(1)
    expect([await balance(from), await balance(to)]).toEqual([
      { available: 70n, total: 70n },
      { available: 30n, total: 30n },
    ])
  })

  test('captures part of a hold, more than a hold, and never more than the account can spend', async () => {
    const [from, to] = [await account(100n), await account(0n)]
    const { holdId, write } = hold(op, cause, from, 40n)
    await commit([write])
    const capture = (amount: bigint, final: boolean): Write[] => [
      { write: 'capture', hold: holdId, account: from, amount, final, at: op.now },
      ...rawPost([
        { account: from, amount: -amount },
        { account: to, amount },
      ]),
    ]
    expect(await commit(capture(15n, false))).toEqual({ done: true })
    expect(await balance(from)).toEqual({ available: 60n, total: 85n })
    expect(await commit(capture(86n, true))).toMatchObject({ done: false, guard: 'overdraft' })
    expect(await commit(capture(80n, true))).toEqual({ done: true })
    expect(await balance(from)).toEqual({ available: 5n, total: 5n })
    expect(await commit(capture(1n, true))).toMatchObject({ done: false, guard: 'expectation' })
  })

  test('a set that fails leaves its neighbours in the same batch alone', async () => {
    const [rich, poor, to] = [await account(100n), await account(0n), await account(0n)]
    const pay = (from: string) =>
      commit(
        rawPost([
          { account: from, amount: -10n },
          { account: to, amount: 10n },
        ]),
      )
    const results = await Promise.all([pay(rich), pay(poor), pay(rich), pay(poor), pay(rich)])
    expect(results.map(({ done }) => done)).toEqual([true, false, true, false, true])
    expect(await balance(to)).toEqual({ available: 30n, total: 30n })
  })

  test('a faulty set is thrown at its own caller, its neighbours are done', async () => {
    const [from, to] = [await account(10n), await account(0n)]
    const good = () =>
      commit(
        rawPost([
          { account: from, amount: -1n },
          { account: to, amount: 1n },
        ]),
      )
    const bad = commit(
      rawPost([
        { account: from, amount: -1n },
        { account: to, amount: 2n },
      ]),
    )
    const [first, fault, last] = await Promise.allSettled([good(), bad, good()])
    expect(first).toMatchObject({ value: { done: true } })
    expect(fault).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringContaining('sum to zero') },
    })
    expect(last).toMatchObject({ value: { done: true } })
    expect(await balance(from)).toEqual({ available: 8n, total: 8n })
  })

  test('the database itself refuses to change or remove an entry, or to add one that does not balance', async () => {
    const { db } = host.app
    for (const statement of [
      'UPDATE ledger_entries SET amount = amount + 1',
      'DELETE FROM ledger_entries',
      'TRUNCATE ledger_entries',
      'DELETE FROM ledger_transfers WHERE false',
    ])
      await expect(db.query(statement)).rejects.toThrow(/append-only|foreign key/)
    const oneSided = `INSERT INTO ledger_entries SELECT transfer_id, 99, account_id, currency, 5, now() FROM ledger_entries LIMIT 1`
    await expect(db.query(oneSided)).rejects.toThrow('sum to zero')
  })

  test('balances rebuilt from the entries equal the stored ones', async () => {
    const { rows } = await host.app.db.query(
      `SELECT a.id FROM ledger_accounts a LEFT JOIN ledger_entries e ON e.account_id = a.id GROUP BY a.id
       HAVING a.posted <> coalesce(sum(e.amount), 0) * CASE a.normal_side WHEN 'credit' THEN 1 ELSE -1 END`,
    )
    expect(rows).toEqual([])
    const sums = await host.app.db.query(
      'SELECT currency FROM ledger_entries GROUP BY currency HAVING sum(amount) <> 0',
    )
    expect(sums.rows).toEqual([])
  })
})
