import { afterAll, beforeAll, expect, test } from 'vitest'
import { addSeconds } from '../../../src/kernel/operation/app.ts'
import { job } from '../../../src/kernel/outbox/jobs.ts'
import type { InsertWrite } from '../../../src/storage/commit/writes.ts'
import { uuidOf } from '../../../src/storage/engine/ids.ts'
import { expectSettledBooks, expectSoundBalances } from '../../reliability/books.testing.ts'
import { fund, newBankAccount, newCustomer } from '../../worlds/client.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

/** Payments that begin at the same time, and those among them that the bank does not process. */
const PAYMENTS = 40
const PENDING = 5

let service: TestServer
beforeAll(async () => {
  service = await openServer()
})
afterAll(() => service.close())

interface Row {
  readonly id: string
  readonly payload: { readonly transactionId?: string; readonly each?: readonly { transactionId: string }[] }
}

test('payments that begin together share a row of due work, which a crash leaves to the next process', async () => {
  const client = await service.newPlatform()
  const platformId = (await client.get('/config')).body.id as string
  const { id, usd } = await newCustomer(client)
  await fund(client, usd, 100_000)
  const banks = [await newBankAccount(client, id), await newBankAccount(client, id, '005')]
  const rows = async () =>
    (
      await service.app.db.query<Row>(
        `SELECT id, payload FROM jobs WHERE platform_id = $1 AND kind = 'transfer.settle'`,
        [uuidOf(platformId)],
      )
    ).rows
  const begun = await Promise.all(
    Array.from({ length: PAYMENTS }, (_, n) =>
      client.post('/transfer-out', {
        source: { accountId: usd },
        destination: { accountId: banks[n < PENDING ? 1 : 0] },
        amount: 100,
      }),
    ),
  )
  expect(begun.map(({ status }) => status)).toEqual(Array(PAYMENTS).fill(201))
  await client.advance(0)

  // Undecided payments have separate rows; nothing is left of the others.
  const pending = begun.slice(0, PENDING).map(({ body }) => body.id as string)
  const left = await rows()
  expect(left.map(({ payload }) => payload.transactionId).sort()).toEqual(pending.sort())
  await expectSoundBalances(service.app.db, platformId)

  // The state after a process ends between settling the payments and removing their row.
  const all = begun.map(({ body }) => ({ transactionId: body.id as string }))
  await service.app.db.query('DELETE FROM jobs WHERE id = ANY ($1)', [
    left.slice(1).map((row) => uuidOf(row.id)),
  ])
  await service.app.db.query(
    `UPDATE jobs SET payload = $2, due_at = created_at, claimed_until = now() - interval '1 second' WHERE id = $1`,
    [uuidOf(left[0]!.id), { each: all }],
  )
  await client.advance(0)
  expect((await rows()).map(({ payload }) => payload.transactionId).sort()).toEqual(pending)
  await expectSoundBalances(service.app.db, platformId)

  await client.advance(3600)
  expect(await rows()).toEqual([])
  const states = await Promise.all(
    begun.map(async ({ body }) => (await client.get(`/transactions/${body.id}`)).body.status),
  )
  expect(states.filter((state) => state === 'FAILED')).toHaveLength(PENDING)
  expect(states.filter((state) => state === 'COMPLETED')).toHaveLength(PAYMENTS - PENDING)
  await expectSettledBooks(service.app.db, platformId)
})

test('sets that are written together share a row, and each result shows it', async () => {
  const op = await service.newOp()
  const later = addSeconds(op.now, 3600)
  const sharing = (n: number): InsertWrite => ({
    ...job(op, 'transfer.settle', { transactionId: `Transaction:${n}` }, later),
    shares: true,
  })
  const writes = Array.from({ length: 5 }, (_, n) => sharing(n))
  const results = await Promise.all(writes.map((write) => service.app.committer.commit([write])))
  const { rows } = await service.app.db.query<Row>('SELECT id, payload FROM jobs WHERE platform_id = $1', [
    uuidOf(op.platform.id),
  ])
  expect(rows).toHaveLength(1)
  expect(rows[0]!.payload.each?.map(({ transactionId }) => transactionId).sort()).toEqual(
    writes.map((_, n) => `Transaction:${n}`),
  )
  for (const [n, result] of results.entries())
    expect(result.done && result.shared?.get(writes[n]!.row.id as string)).toEqual({
      id: rows[0]!.id,
      size: 5,
    })
})
