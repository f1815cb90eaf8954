import { afterAll, beforeAll, expect, test } from 'vitest'
import { addSeconds } from '../../../src/kernel/operation/app.ts'
import { job } from '../../../src/kernel/outbox/jobs.ts'
import type { InsertWrite } from '../../../src/storage/commit/writes.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { expectSettledBooks, expectSoundBalances } from '../../reliability/books.testing.ts'
import { fund, newBankAccount, newCustomer } from '../../worlds/client.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

/** The bank leaves `PENDING` of the concurrent `PAYMENTS` undecided. */
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

test('payments that start together share a job row, which the next process takes over after a crash', async () => {
  const client = await service.newPlatform()
  const platformId = (await client.get('/config')).body.id as string
  const { id, usd } = await newCustomer(client)
  await fund(client, usd, 100_000)
  const banks = [await newBankAccount(client, id), await newBankAccount(client, id, '005')]
  const listRows = async () =>
    (
      await service.app.db.query<Row>(
        `SELECT id, payload FROM jobs WHERE platform_id = $1 AND kind = 'transfer.settle'`,
        [extractUuid(platformId)],
      )
    ).rows
  const payments = await Promise.all(
    Array.from({ length: PAYMENTS }, (_, n) =>
      client.post('/transfer-out', {
        source: { accountId: usd },
        destination: { accountId: banks[n < PENDING ? 1 : 0] },
        amount: 100,
      }),
    ),
  )
  expect(payments.map(({ status }) => status)).toEqual(Array(PAYMENTS).fill(201))
  await client.advance(0)

  // Only undecided payments still have rows, one each.
  const pending = payments.slice(0, PENDING).map(({ body }) => body.id as string)
  const remainingRows = await listRows()
  expect(remainingRows.map(({ payload }) => payload.transactionId).sort()).toEqual(pending.sort())
  await expectSoundBalances(service.app.db, platformId)

  // Recreates a crash between settling the payments and deleting their row.
  const allPayments = payments.map(({ body }) => ({ transactionId: body.id as string }))
  await service.app.db.query('DELETE FROM jobs WHERE id = ANY ($1)', [
    remainingRows.slice(1).map((row) => extractUuid(row.id)),
  ])
  await service.app.db.query(
    `UPDATE jobs SET payload = $2, due_at = created_at, claimed_until = now() - interval '1 second' WHERE id = $1`,
    [extractUuid(remainingRows[0]!.id), { each: allPayments }],
  )
  await client.advance(0)
  expect((await listRows()).map(({ payload }) => payload.transactionId).sort()).toEqual(pending)
  await expectSoundBalances(service.app.db, platformId)

  await client.advance(3600)
  expect(await listRows()).toEqual([])
  const states = await Promise.all(
    payments.map(async ({ body }) => (await client.get(`/transactions/${body.id}`)).body.status),
  )
  expect(states.filter((state) => state === 'FAILED')).toHaveLength(PENDING)
  expect(states.filter((state) => state === 'COMPLETED')).toHaveLength(PAYMENTS - PENDING)
  await expectSettledBooks(service.app.db, platformId)
})

test('sets that are committed together share a job row, and each result names it', async () => {
  const op = await service.newOp()
  const dueAt = addSeconds(op.now, 3600)
  const buildSharingJob = (n: number): InsertWrite => ({
    ...job(op, 'transfer.settle', { transactionId: `Transaction:${n}` }, dueAt),
    shares: true,
  })
  const writes = Array.from({ length: 5 }, (_, n) => buildSharingJob(n))
  const results = await Promise.all(writes.map((write) => service.app.committer.commit([write])))
  const { rows } = await service.app.db.query<Row>('SELECT id, payload FROM jobs WHERE platform_id = $1', [
    extractUuid(op.platform.id),
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
