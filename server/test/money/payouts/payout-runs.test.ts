import { Readable } from 'node:stream'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { JOB_HANDLERS } from '../../../src/edge/service/handlers.ts'
import { receiveFile } from '../../../src/kernel/files/receive.ts'
import { stage } from '../../../src/kernel/files/stored-files.ts'
import type { Op } from '../../../src/kernel/operation/app.ts'
import { externalAccountHandlers } from '../../../src/money/external-accounts/handlers.ts'
import { checkFileIsNew } from '../../../src/money/payouts/execute-batch.ts'
import { payoutBatchHandlers } from '../../../src/money/payouts/handlers.ts'
import { findBatch } from '../../../src/money/payouts/payout-batches.ts'
import type { Write } from '../../../src/storage/commit/writes.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { usAccount } from '../../worlds/records/payouts.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

/** The jobs of a batch run one by one here, because no server takes them. */

let service: TestServer
beforeAll(async () => {
  service = await openServer({}, { listens: false })
})
afterAll(() => service.close())

const commit = (writes: readonly Write[]) => service.app.committer.commit(writes)
const NOTHING = { params: {}, query: {}, body: undefined }

async function newPayee(op: Op): Promise<string> {
  const body = { currency: 'USD' as const, accountInfo: usAccount('777000789') as never }
  const { body: account, writes = [] } = await externalAccountHandlers.platform_external_account_create(op, {
    ...NOTHING,
    body,
  })
  expect(await commit(writes)).toEqual({ done: true })
  return account.id
}

/** Creates a batch from a file with these rows, on a new platform. */
async function newFileBatch(rowsFor: (payee: string) => readonly string[]) {
  const op = await service.newOp()
  const payee = await newPayee(op)
  return newBatch(op, rowsFor(payee))
}

async function newBatch(op: Op, rows: readonly string[]) {
  const csv = ['accountId,currency,amount,reference', ...rows].join('\r\n')
  const { file, spooled } = await receiveFile(
    service.app,
    { name: 'p.csv', declaredType: 'text/csv' },
    Readable.from([Buffer.from(csv)]),
  )
  await service.app.fileStore.put(file.id, spooled)
  expect(await commit(stage(op, file))).toEqual({ done: true })
  const { body, writes = [] } = await payoutBatchHandlers.payout_file_create(op, {
    ...NOTHING,
    body: {},
    file,
  })
  expect(await commit(writes)).toEqual({ done: true })
  const params = { payoutBatchId: body.id }
  return {
    readRow: () => findBatch(op, body.id),
    run: () => JOB_HANDLERS['payouts.run'](op, { batchId: body.id }),
    readBatch: async () => (await payoutBatchHandlers.payout_batch_get(op, { ...NOTHING, params })).body,
    listLines: () =>
      op.read
        .selectFrom('payout_lines')
        .select(['line', 'state', 'field', 'reference'])
        .where('batch_id', '=', body.id)
        .orderBy('line')
        .execute(),
  }
}

test('each run of a batch checks the next lines, one of two parallel runs commits, and an aborted run leaves nothing', async () => {
  const { run, readBatch, listLines } = await newFileBatch((payee) =>
    Array.from({ length: 450 }, (_, index) => `${payee},USD,${index + 1},r-${index}`),
  )
  for (const checked of [200, 400, 450]) {
    // This run dies before its commit.
    await run()
    const results = await Promise.all((await Promise.all([run(), run()])).map(commit))
    expect(results.filter(({ done }) => done)).toHaveLength(1)
    expect((await readBatch()).progress).toMatchObject({ checked, lines: checked, faulty: 0 })
  }
  expect(await readBatch()).toMatchObject({
    status: 'READY',
    totals: [{ lines: 450, total: { amount: (450n * 451n) / 2n } }],
  })
  expect((await listLines()).map(({ line }) => line)).toEqual(
    Array.from({ length: 450 }, (_, index) => index + 1),
  )
  expect(await run()).toEqual([])
})

/** A row, and the column of its fault or null. */
const rowArbitrary = fc.oneof(
  fc
    .bigInt({ min: 1n, max: 1_000_000n })
    .map((amount) => ({ toRow: (payee: string) => `${payee},USD,${amount}`, field: null, amount })),
  fc.constantFrom('0', '-5', '1.5', '1e3', 'ten', ' 7', '9223372036854775808', '').map((amount) => ({
    toRow: (payee: string) => `${payee},USD,${amount}`,
    field: 'amount',
    amount: 0n,
  })),
  fc.constantFrom('', 'usd', 'US', 'DOLLAR', 'JPY').map((currency) => ({
    toRow: (payee: string) => `${payee},${currency},5`,
    field: 'currency',
    amount: 0n,
  })),
  fc.constantFrom('', 'Ada', 'ExternalAccount:01a22409-0000-7000-8000-00000000000a').map((account) => ({
    toRow: () => `${account},USD,5`,
    field: 'accountId',
    amount: 0n,
  })),
)

test('the check of a payout file names exactly the rows that cannot be paid, and sums the others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(rowArbitrary, { minLength: 1, maxLength: 40 }), async (rows) => {
      const { run, readBatch, listLines } = await newFileBatch((payee) =>
        rows.map(({ toRow }, index) => `${toRow(payee)},r-${index}`),
      )
      await commit(await run())
      expect((await listLines()).map(({ line, field }) => [line, field])).toEqual(
        rows.map(({ field }, index) => [index + 1, field]),
      )
      const validRows = rows.filter(({ field }) => field === null)
      const total = validRows.reduce((sum, { amount }) => sum + amount, 0n)
      expect(await readBatch()).toMatchObject({
        status: 'READY',
        progress: { lines: rows.length, checked: rows.length, faulty: rows.length - validRows.length },
        totals: validRows.length === 0 ? [] : [{ lines: validRows.length, total: { amount: total } }],
      })
    }),
    { numRuns: 15 },
  )
})

test('a file counts as paid before if a canceled batch paid some of its lines, but not if it paid none', async () => {
  const op = await service.newOp()
  const rows = [`${await newPayee(op)},USD,5,a`]
  const [first, second] = [await newBatch(op, rows), await newBatch(op, rows)]
  await commit(await first.run())
  const { id } = await first.readRow()
  const cancelFirst = (sent: number) =>
    service.app.db.query(
      `UPDATE payout_batches SET state = 'CANCELED', completed_at = now(), sent = $2 WHERE id = $1`,
      [extractUuid(id), sent],
    )
  const checkSecond = async () => checkFileIsNew(op, await second.readRow(), { totals: [] })
  await cancelFirst(0)
  expect(await checkSecond()).toHaveLength(1)
  expect((await (await newBatch(op, rows)).readRow()).same_file_id).not.toBe(id)
  await cancelFirst(1)
  await expect(checkSecond()).rejects.toMatchObject({
    code: 'PAYOUT_FILE_PAID_BEFORE',
    details: { payoutBatchId: id },
  })
})
