import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { JOB_HANDLERS } from '../../../src/edge/service/handlers.ts'
import { removeStoredFile } from '../../../src/kernel/files/jobs.ts'
import { receiveFile } from '../../../src/kernel/files/receive.ts'
import { stage } from '../../../src/kernel/files/stored-files.ts'
import type { Op } from '../../../src/kernel/operation/app.ts'
import { customerImportHandlers } from '../../../src/people/customers/imports/handlers.ts'
import type { Write } from '../../../src/storage/commit/writes.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import { openBucket } from '../../worlds/simulators/bucket.testing.ts'

/** The tests run the jobs of an import one by one, because no server does. The file is in a bucket. */

let bucket: Awaited<ReturnType<typeof openBucket>>
let service: TestServer
beforeAll(async () => {
  bucket = await openBucket()
  service = await openServer(bucket.settings, { listens: false })
})
afterAll(async () => {
  await service.close()
  await bucket.close()
})

const commit = (writes: readonly Write[]) => service.app.committer.commit(writes)

/** Creates an import on a new platform, with this number of rows in its file. */
async function newImport(rows: number) {
  const op = await service.newOp()
  // Long enough for several sealed chunks.
  const columns = `Acme,1999-12-31,12-3456789,"${'é'.repeat(990)}"`
  const lines = Array.from({ length: rows }, (_, row) => `c-${row},BUSINESS,${columns}`)
  const header =
    'platformCustomerId,customerType,businessInfo.legalName,businessInfo.incorporatedOn,businessInfo.taxId,businessInfo.sourceOfFunds'
  const csv = [header, ...lines].join('\r\n')
  const bytes = Readable.from([Buffer.from(csv)])
  const { file, spooled } = await receiveFile(service.app, { name: 'c.csv', declaredType: 'text/csv' }, bytes)
  await service.app.fileStore.put(file.id, spooled)
  expect(await commit(stage(op, file))).toEqual({ done: true })
  const input = { params: {}, query: {}, body: undefined, file }
  const { body, writes = [] } = await customerImportHandlers.customer_import_create(op, input)
  expect(await commit(writes)).toEqual({ done: true })
  return {
    op,
    file,
    importId: body.jobId,
    run: () => JOB_HANDLERS['customers.import'](op, { importId: body.jobId }),
  }
}

const readJob = async (op: Op, jobId: string) =>
  (await customerImportHandlers.customer_import_get(op, { params: { jobId }, query: {}, body: undefined }))
    .body

async function listCustomerIds(op: Op): Promise<string[]> {
  const rows = await op.read
    .selectFrom('customers')
    .select('platform_customer_id as id')
    .where('platform_id', '=', op.platform.id)
    .execute()
  return rows.map(({ id }) => id).sort()
}

const buildIds = (rows: number) => Array.from({ length: rows }, (_, row) => `c-${row}`).sort()

test('each run of an import creates the customers of the next rows, and only one of two parallel runs commits', async () => {
  const { op, file, importId, run } = await newImport(120)
  const [scan, secondScan] = [await run(), await run()]
  expect(await commit(scan)).toEqual({ done: true })
  expect(await commit(secondScan)).toMatchObject({ done: false, guard: 'expectation' })
  expect(await readJob(op, importId)).toMatchObject({
    status: 'PROCESSING',
    progress: { total: 120, processed: 0 },
  })

  for (const processed of [50, 100]) {
    const [firstRun, secondRun] = [await run(), await run()]
    const results = await Promise.all([commit(secondRun), commit(firstRun)])
    expect(results.filter(({ done }) => done)).toHaveLength(1)
    expect((await readJob(op, importId)).progress).toEqual({
      total: 120,
      processed,
      successful: processed,
      failed: 0,
    })
    // A run that dies before its commit leaves nothing.
    await run()
  }
  expect(bucket.objects.size).toBe(1)
  expect(await commit(await run())).toEqual({ done: true })
  expect(await readJob(op, importId)).toMatchObject({
    status: 'COMPLETED',
    progress: { processed: 120, successful: 120 },
  })
  expect(await listCustomerIds(op)).toEqual(buildIds(120))
  expect(await run()).toEqual([])

  await removeStoredFile(op, { fileId: file.id })
  expect(bucket.objects.size).toBe(0)
})

test('an import waits while the file store cannot be reached, and then continues', async () => {
  const { op, run } = await newImport(60)
  await commit(await run())
  await commit(await run())
  bucket.fail(500)
  await expect(run()).rejects.toThrow('status 500')
  bucket.fail(undefined)
  await commit(await run())
  expect(await listCustomerIds(op)).toEqual(buildIds(60))
})

test('a file that was changed in the store ends the import, and earlier customers stay', async () => {
  const { op, importId, run } = await newImport(60)
  await commit(await run())
  await commit(await run())
  const [key, sealed] = [...bucket.objects].at(-1)!
  bucket.objects.set(key, Buffer.concat([sealed.subarray(0, -1), Buffer.of(sealed.at(-1)! ^ 1)]))
  await commit(await run())
  expect(await readJob(op, importId)).toMatchObject({
    status: 'FAILED',
    progress: { total: 60, processed: 50, successful: 50, failed: 0 },
    errors: [{ correlationId: 'row_52', message: 'The stored file was changed or is damaged.' }],
  })
  expect(await listCustomerIds(op)).toHaveLength(50)
  expect(await run()).toEqual([])
})
