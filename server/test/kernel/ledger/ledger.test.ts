import { beforeAll, describe, expect, test } from 'vitest'
import { openAccount } from '../../../src/kernel/ledger/accounts.ts'
import { findBalances } from '../../../src/kernel/ledger/balances.ts'
import { capture, capturePart, hold, release } from '../../../src/kernel/ledger/holds.ts'
import { post, splitMovement } from '../../../src/kernel/ledger/transfers.ts'
import type { Op } from '../../../src/kernel/operation/app.ts'
import type { Write } from '../../../src/storage/commit/writes.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { testId } from '../../worlds/records/payments.testing.ts'
import type { SharedServer } from '../../worlds/server.testing.ts'
import { world } from '../../worlds/world.testing.ts'

let host: SharedServer
let op: Op

beforeAll(async () => {
  host = await world('sandbox+quiet')
  op = await host.newOp()
})

const FUNDING = { cause: 'sandbox_fund', causeId: testId('InternalAccount', 'funded') } as const
const commitWrites = (writes: readonly Write[]) => host.app.committer.commit(writes)

async function createAccount(amount: bigint): Promise<string> {
  const id = op.newId('InternalAccount')
  const fund = post(op, FUNDING, [
    { account: id, currency: 'USD', amount },
    { system: 'rail', currency: 'USD', amount: -amount },
  ])
  const { done } = await commitWrites([
    openAccount(op, id, testId('Customer', 1), 'USD'),
    ...(amount > 0n ? fund : []),
  ])
  expect(done).toBe(true)
  return id
}

const readBalance = async (id: string) => (await findBalances(op, [id])).get(id)

/** Builds a transfer without the checks of the ledger. */
function buildTransfer(debit: string, credit: string, amount: bigint, currency = 'USD'): Write {
  const sides = { platformId: op.platform.id, debit, credit, currency, amount, at: op.now }
  return { ...sides, ...FUNDING, write: 'transfer', state: 'posted', id: op.newId('LedgerTransfer') }
}

const buildLeg = (account: string, amount: bigint) => ({ account, currency: 'USD', amount })
const buildHold = (account: string, amount: bigint) =>
  ({ ...buildLeg(account, amount), to: 'clearing' }) as const

describe('the ledger', { tags: 'smoke' }, () => {
  test('moves money between accounts, both sides or neither', async () => {
    const [from, to] = [await createAccount(100n), await createAccount(0n)]
    expect(await commitWrites(post(op, FUNDING, [buildLeg(from, -60n), buildLeg(to, 60n)]))).toEqual({
      done: true,
    })
    expect([await readBalance(from), await readBalance(to)]).toEqual([
      { available: 40n, total: 40n },
      { available: 60n, total: 60n },
    ])
  })

  test('refuses to overdraw an account by a single unit, and writes nothing of that set', async () => {
    const [from, to] = [await createAccount(100n), await createAccount(0n)]
    const result = await commitWrites(post(op, FUNDING, [buildLeg(from, -101n), buildLeg(to, 101n)]))
    expect(result).toMatchObject({ done: false, guard: 'overdraft' })
    expect([await readBalance(from), await readBalance(to)]).toEqual([
      { available: 100n, total: 100n },
      { available: 0n, total: 0n },
    ])
  })

  test('refuses a balance beyond int64, and commits the other sets of the batch', async () => {
    const to = await createAccount(0n)
    const receiveAmount = (amount: bigint) => {
      const legs = [buildLeg(to, amount), { system: 'rail', currency: 'USD', amount: -amount } as const]
      return commitWrites(post(op, FUNDING, legs))
    }
    const results = await Promise.all([receiveAmount(3n), receiveAmount(2n ** 63n - 1n), receiveAmount(4n)])
    expect(results).toEqual([{ done: true }, expect.objectContaining({ guard: 'overflow' }), { done: true }])
    expect(await readBalance(to)).toEqual({ available: 7n, total: 7n })
  })

  test('grants seven of fifty parallel holds on money for seven', async () => {
    const from = await createAccount(7_000n)
    const results = await Promise.all(
      Array.from({ length: 50 }, () => commitWrites([hold(op, FUNDING, buildHold(from, 1_000n)).write])),
    )
    expect(results.filter(({ done }) => done)).toHaveLength(7)
    expect(await readBalance(from)).toEqual({ available: 0n, total: 7_000n })
  })

  test('captures or releases a hold only once', async () => {
    const from = await createAccount(100n)
    const first = hold(op, FUNDING, buildHold(from, 30n))
    const second = hold(op, FUNDING, buildHold(from, 20n))
    await commitWrites([first.write, second.write])
    const captureFirst = () => commitWrites(capture(op, { ...buildHold(from, 30n), holdId: first.holdId }))
    expect((await Promise.all([captureFirst(), captureFirst()])).filter(({ done }) => done)).toHaveLength(1)
    const releaseSecond = () =>
      commitWrites([release(op, { ...buildHold(from, 20n), holdId: second.holdId })])
    expect((await Promise.all([releaseSecond(), releaseSecond()])).filter(({ done }) => done)).toHaveLength(1)
    expect(await readBalance(from)).toEqual({ available: 70n, total: 70n })
    const lateRelease = await commitWrites([release(op, { ...buildHold(from, 30n), holdId: first.holdId })])
    expect(lateRelease).toMatchObject({ done: false, guard: 'expectation' })
  })

  test('captures a part of a hold, and keeps or releases the remainder', async () => {
    const from = await createAccount(100n)
    const { holdId, write } = hold(op, FUNDING, buildHold(from, 40n))
    await commitWrites([write])
    const first = capturePart(op, FUNDING, { ...buildHold(from, 40n), holdId }, 15n, true)
    const second = capturePart(op, FUNDING, { ...buildHold(from, 40n), holdId }, 15n, true)
    const results = await Promise.all([commitWrites(first.writes), commitWrites(second.writes)])
    expect(results.map(({ done }) => done).sort()).toEqual([false, true])
    expect(await readBalance(from)).toEqual({ available: 60n, total: 85n })
    const successfulCapture = results[0].done ? first : second
    const remainder = capturePart(
      op,
      FUNDING,
      { ...buildHold(from, 25n), holdId: successfulCapture.holdId },
      20n,
      false,
    )
    expect(await commitWrites(remainder.writes)).toEqual({ done: true })
    expect(await readBalance(from)).toEqual({ available: 65n, total: 65n })
    const repeat = capturePart(
      op,
      FUNDING,
      { ...buildHold(from, 25n), holdId: successfulCapture.holdId },
      25n,
      false,
    )
    expect(await commitWrites(repeat.writes)).toMatchObject({ done: false, guard: 'expectation' })
  })

  test('captures and releases a hold only with its own account and amount', async () => {
    const [from, otherAccount] = [await createAccount(100n), await createAccount(100n)]
    const { holdId, write } = hold(op, FUNDING, buildHold(from, 40n))
    await commitWrites([write])
    for (const wrongHold of [buildHold(from, 39n), buildHold(otherAccount, 40n)])
      for (const writes of [capture(op, { ...wrongHold, holdId }), [release(op, { ...wrongHold, holdId })]])
        expect(await commitWrites(writes)).toMatchObject({ done: false, guard: 'expectation' })
    expect(await readBalance(from)).toEqual({ available: 60n, total: 100n })
  })

  test('splits a movement into as few transfers as possible, each between accounts of one currency', () => {
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

  test('commits the other sets of a batch if one set fails', async () => {
    const [rich, poor, to] = [await createAccount(100n), await createAccount(0n), await createAccount(0n)]
    const payFrom = (from: string) => commitWrites([buildTransfer(from, to, 10n)])
    const results = await Promise.all([
      payFrom(rich),
      payFrom(poor),
      payFrom(rich),
      payFrom(poor),
      payFrom(rich),
    ])
    expect(results.map(({ done }) => done)).toEqual([true, false, true, false, true])
    expect(await readBalance(to)).toEqual({ available: 30n, total: 30n })
  })

  test('rejects a faulty set only for its caller, and commits the other sets of the batch', async () => {
    const [from, to] = [await createAccount(10n), await createAccount(0n)]
    const commitValid = () => commitWrites([buildTransfer(from, to, 1n)])
    const faultyCommit = commitWrites([buildTransfer(from, to, 1n, 'EUR')])
    const [first, fault, last] = await Promise.allSettled([commitValid(), faultyCommit, commitValid()])
    expect(first).toMatchObject({ value: { done: true } })
    expect(fault).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringContaining('currency') },
    })
    expect(last).toMatchObject({ value: { done: true } })
    expect(await readBalance(from)).toEqual({ available: 8n, total: 8n })
  })

  test('is protected by the database from changed or removed transfers, except to end one', async () => {
    const { db } = host.app
    const from = await createAccount(100n)
    const { holdId, write } = hold(op, FUNDING, buildHold(from, 40n))
    await commitWrites([write])
    for (const change of [
      'amount = amount + 1',
      'credit_account_id = debit_account_id',
      "currency = 'EUR'",
      'cause_id = id',
      "state = 'voided', ended_at = now(), amount = 1",
      "state = 'pending', ended_at = now()",
    ])
      await expect(
        db.query(`UPDATE ledger_transfers SET ${change} WHERE id = $1`, [extractUuid(holdId)]),
        change,
      ).rejects.toThrow(/ends once|check constraint/)
    await commitWrites([release(op, { ...buildHold(from, 40n), holdId })])
    for (const statement of [
      "UPDATE ledger_transfers SET state = 'posted' WHERE state = 'voided'",
      "UPDATE ledger_transfers SET state = 'pending', ended_at = NULL",
      'DELETE FROM ledger_transfers WHERE false',
      'TRUNCATE ledger_transfers',
    ])
      await expect(db.query(statement), statement).rejects.toThrow('ends once')
  })

  test('is protected by the database from amounts that are not positive, and from transfers of an account to itself', async () => {
    const [from, to] = [await createAccount(100n), await createAccount(0n)]
    for (const writes of [
      [buildTransfer(from, to, 0n)],
      [buildTransfer(from, to, -1n)],
      [buildTransfer(from, from, 1n)],
    ])
      await expect(commitWrites(writes)).rejects.toThrow('check constraint')
    expect(await readBalance(from)).toEqual({ available: 100n, total: 100n })
  })

  test('stores balances that equal the sums of their entries', async () => {
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
