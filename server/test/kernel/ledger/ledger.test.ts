import { beforeAll, describe, expect, test } from 'vitest'
import { openAccount } from '../../../src/kernel/ledger/accounts.ts'
import { findBalances } from '../../../src/kernel/ledger/balances.ts'
import { capture, capturePart, hold, release } from '../../../src/kernel/ledger/holds.ts'
import { post, splitMovement } from '../../../src/kernel/ledger/transfers.ts'
import type { Op } from '../../../src/kernel/operation/app.ts'
import type { Write } from '../../../src/storage/commit/writes.ts'
import { uuidOf } from '../../../src/storage/engine/ids.ts'
import { testId } from '../../worlds/records/payments.testing.ts'
import type { SharedServer } from '../../worlds/server.testing.ts'
import { world } from '../../worlds/world.testing.ts'

let host: SharedServer
let op: Op

beforeAll(async () => {
  host = await world('sandbox+quiet')
  op = await host.newOp()
})

const cause = { cause: 'sandbox_fund', causeId: testId('InternalAccount', 'funded') } as const
const commit = (writes: readonly Write[]) => host.app.committer.commit(writes)

async function account(amount: bigint): Promise<string> {
  const id = op.newId('InternalAccount')
  const fund = post(op, cause, [
    { account: id, currency: 'USD', amount },
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

/** A transfer as the ledger would write it, of anything. */
function transfer(debit: string, credit: string, amount: bigint, currency = 'USD'): Write {
  const sides = { platformId: op.platform.id, debit, credit, currency, amount, at: op.now }
  return { ...sides, ...cause, write: 'transfer', state: 'posted', id: op.newId('LedgerTransfer') }
}

const usd = (account: string, amount: bigint) => ({ account, currency: 'USD', amount })
const held = (account: string, amount: bigint) => ({ ...usd(account, amount), to: 'clearing' }) as const

describe('the ledger', { tags: 'smoke' }, () => {
  test('moves money between accounts, both sides or neither', async () => {
    const [from, to] = [await account(100n), await account(0n)]
    expect(await commit(post(op, cause, [usd(from, -60n), usd(to, 60n)]))).toEqual({ done: true })
    expect([await balance(from), await balance(to)]).toEqual([
      { available: 40n, total: 40n },
      { available: 60n, total: 60n },
    ])
  })

  test('refuses to overdraw an account by a unit, and writes nothing of that set', async () => {
    const [from, to] = [await account(100n), await account(0n)]
    const result = await commit(post(op, cause, [usd(from, -101n), usd(to, 101n)]))
    expect(result).toMatchObject({ done: false, guard: 'overdraft' })
    expect([await balance(from), await balance(to)]).toEqual([
      { available: 100n, total: 100n },
      { available: 0n, total: 0n },
    ])
  })

  test('refuses a balance beyond int64, and leaves the other sets of the batch alone', async () => {
    const to = await account(0n)
    const receive = (amount: bigint) => {
      const legs = [usd(to, amount), { system: 'rail', currency: 'USD', amount: -amount } as const]
      return commit(post(op, cause, legs))
    }
    const results = await Promise.all([receive(3n), receive(2n ** 63n - 1n), receive(4n)])
    expect(results).toEqual([{ done: true }, expect.objectContaining({ guard: 'overflow' }), { done: true }])
    expect(await balance(to)).toEqual({ available: 7n, total: 7n })
  })

  test('of fifty parallel holds on money for seven, seven are granted', async () => {
    const from = await account(7_000n)
    const results = await Promise.all(
      Array.from({ length: 50 }, () => commit([hold(op, cause, held(from, 1_000n)).write])),
    )
    expect(results.filter(({ done }) => done)).toHaveLength(7)
    expect(await balance(from)).toEqual({ available: 0n, total: 7_000n })
  })

  test('a hold is captured or released, once', async () => {
    const from = await account(100n)
    const first = hold(op, cause, held(from, 30n))
    const second = hold(op, cause, held(from, 20n))
    await commit([first.write, second.write])
    const taken = () => commit(capture(op, { ...held(from, 30n), holdId: first.holdId }))
    expect((await Promise.all([taken(), taken()])).filter(({ done }) => done)).toHaveLength(1)
    const back = () => commit([release(op, { ...held(from, 20n), holdId: second.holdId })])
    expect((await Promise.all([back(), back()])).filter(({ done }) => done)).toHaveLength(1)
    expect(await balance(from)).toEqual({ available: 70n, total: 70n })
    const late = await commit([release(op, { ...held(from, 30n), holdId: first.holdId })])
    expect(late).toMatchObject({ done: false, guard: 'expectation' })
  })

  test('parts of a hold are captured, and its rest is held or given back', async () => {
    const from = await account(100n)
    const { holdId, write } = hold(op, cause, held(from, 40n))
    await commit([write])
    const first = capturePart(op, cause, { ...held(from, 40n), holdId }, 15n, true)
    const again = capturePart(op, cause, { ...held(from, 40n), holdId }, 15n, true)
    const results = await Promise.all([commit(first.writes), commit(again.writes)])
    expect(results.map(({ done }) => done).sort()).toEqual([false, true])
    expect(await balance(from)).toEqual({ available: 60n, total: 85n })
    const left = results[0].done ? first : again
    const last = capturePart(op, cause, { ...held(from, 25n), holdId: left.holdId }, 20n, false)
    expect(await commit(last.writes)).toEqual({ done: true })
    expect(await balance(from)).toEqual({ available: 65n, total: 65n })
    const ended = capturePart(op, cause, { ...held(from, 25n), holdId: left.holdId }, 25n, false)
    expect(await commit(ended.writes)).toMatchObject({ done: false, guard: 'expectation' })
  })

  test('a hold is captured and released only with its own account and amount', async () => {
    const [from, other] = [await account(100n), await account(100n)]
    const { holdId, write } = hold(op, cause, held(from, 40n))
    await commit([write])
    for (const wrong of [held(from, 39n), held(other, 40n)])
      for (const writes of [capture(op, { ...wrong, holdId }), [release(op, { ...wrong, holdId })]])
        expect(await commit(writes)).toMatchObject({ done: false, guard: 'expectation' })
    expect(await balance(from)).toEqual({ available: 60n, total: 100n })
  })

  test('a movement uses as few transfers as possible, each between accounts of one currency', () => {
    const legs = [
      { account: 'payer', currency: 'USDB', amount: -25n },
      { system: 'fees', currency: 'USDB', amount: 1n },
      { system: 'fx', currency: 'USDB', amount: 24n },
      { system: 'fx', currency: 'USD', amount: -20n },
      { system: 'rail', currency: 'USD', amount: 20n },
      { system: 'refunds', currency: 'USD', amount: 0n },
    ] as const
    const pairs = splitMovement(legs).map(({ from, to, amount }) => [
      'account' in from ? from.account : from.system,
      'account' in to ? to.account : to.system,
      amount,
    ])
    expect(pairs).toEqual([
      ['payer', 'fees', 1n],
      ['payer', 'fx', 24n],
      ['fx', 'rail', 20n],
    ])
    expect(() => splitMovement(legs.slice(1))).toThrow('sum to zero')
  })

  test('a set that fails leaves its neighbours in the same batch alone', async () => {
    const [rich, poor, to] = [await account(100n), await account(0n), await account(0n)]
    const pay = (from: string) => commit([transfer(from, to, 10n)])
    const results = await Promise.all([pay(rich), pay(poor), pay(rich), pay(poor), pay(rich)])
    expect(results.map(({ done }) => done)).toEqual([true, false, true, false, true])
    expect(await balance(to)).toEqual({ available: 30n, total: 30n })
  })

  test('a faulty set rejects only for its own caller, and its neighbours are committed', async () => {
    const [from, to] = [await account(10n), await account(0n)]
    const good = () => commit([transfer(from, to, 1n)])
    const bad = commit([transfer(from, to, 1n, 'EUR')])
    const [first, fault, last] = await Promise.allSettled([good(), bad, good()])
    expect(first).toMatchObject({ value: { done: true } })
    expect(fault).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringContaining('currency') },
    })
    expect(last).toMatchObject({ value: { done: true } })
    expect(await balance(from)).toEqual({ available: 8n, total: 8n })
  })

  test('the database itself refuses to change or remove a transfer, except to end it', async () => {
    const { db } = host.app
    const from = await account(100n)
    const { holdId, write } = hold(op, cause, held(from, 40n))
    await commit([write])
    for (const change of [
      'amount = amount + 1',
      'credit_account_id = debit_account_id',
      "currency = 'EUR'",
      'cause_id = id',
      "state = 'voided', ended_at = now(), amount = 1",
      "state = 'pending', ended_at = now()",
    ])
      await expect(
        db.query(`UPDATE ledger_transfers SET ${change} WHERE id = $1`, [uuidOf(holdId)]),
        change,
      ).rejects.toThrow(/ends once|check constraint/)
    await commit([release(op, { ...held(from, 40n), holdId })])
    for (const statement of [
      "UPDATE ledger_transfers SET state = 'posted' WHERE state = 'voided'",
      "UPDATE ledger_transfers SET state = 'pending', ended_at = NULL",
      'DELETE FROM ledger_transfers WHERE false',
      'TRUNCATE ledger_transfers',
    ])
      await expect(db.query(statement), statement).rejects.toThrow('ends once')
  })

  test('the database itself refuses an amount that is not positive, and a transfer to the account itself', async () => {
    const [from, to] = [await account(100n), await account(0n)]
    for (const writes of [[transfer(from, to, 0n)], [transfer(from, to, -1n)], [transfer(from, from, 1n)]])
      await expect(commit(writes)).rejects.toThrow('check constraint')
    expect(await balance(from)).toEqual({ available: 100n, total: 100n })
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
