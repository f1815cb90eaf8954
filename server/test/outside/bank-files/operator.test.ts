import { createHash } from 'node:crypto'
import { chmod, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import { camtFile } from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { toInboxFileId } from '../../../src/outside/bank-files/ids.ts'
import { isBankFilesRail } from '../../../src/outside/bank-files/rail.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { until } from '../../worlds/client.testing.ts'
import {
  type FileBank,
  findDepositReference,
  openFileBank,
} from '../../worlds/production/file-bank.testing.ts'

let bank: FileBank
beforeAll(async () => {
  bank = await openFileBank('SEPA')
})
afterAll(() => bank.close())

/** Runs a command of the server, and returns its output. */
async function runServerCommand(...args: string[]) {
  const { app } = bank.world.service
  return JSON.parse(JSON.stringify(await runCommand(app, args, bank.world.client.baseUrl)))
}

function findRoot(): string {
  const [rail] = bank.world.service.app.rails.list().filter(isBankFilesRail)
  const { place } = rail!.entry
  if (place.type !== 'folder') throw new Error('The bank of this test is a folder')
  return place.path
}

const findFileRow = async (digest: string) => {
  const { db } = bank.world.service.app
  const id = extractUuid(toInboxFileId('file-bank', digest))
  const { rows } = await db.query('SELECT state, kind, reason FROM bank_inbox_files WHERE id = $1', [id])
  return rows[0]
}

/** Stores a file that an older release could not read. */
async function createRefusedFile(name: string, text: string): Promise<string> {
  const { service, client } = bank.world
  const digest = createHash('sha256').update(text).digest('hex')
  await service.app.db.query(
    `INSERT INTO bank_inbox_files (id, platform_id, rail, name, sha256, bytes, kind, state, records, reason, created_at, updated_at)
     VALUES ($1, $2, 'file-bank', $3, $4, $5, 'CAMT', 'REFUSED', 0, 'line 1: not known then', now(), now())`,
    [
      extractUuid(toInboxFileId('file-bank', digest)),
      extractUuid(client.credentials.platformId),
      name,
      Buffer.from(digest, 'hex'),
      BigInt(text.length),
    ],
  )
  await writeFile(join(findRoot(), 'refused', name), text)
  return digest
}

test("a file that an older release refused is read at the operator's request, and takes effect once", async () => {
  const { customerId, account } = await bank.customer()
  const text = camtFile({
    id: 'OLD-1',
    entries: [
      {
        amount: '12.34',
        direction: 'CRDT',
        servicerReference: 'OLD-SVC-1',
        transactions: [{ amount: '12.34', debtor: 'Ada Lovelace', text: findDepositReference(account) }],
      },
    ],
  })
  const digest = await createRefusedFile('old.xml', text)
  const expected = { rail: 'file-bank', file: 'old.xml', ok: true, says: expect.stringContaining('inbox') }
  expect(await runServerCommand('bank-files', 'retry', '--file', 'old.xml')).toEqual({ data: [expected] })
  await bank.waitForBalance(customerId, 1_234n)
  await until(
    () => readdir(join(findRoot(), 'done')),
    (names) => names.includes('old.xml'),
  )
  expect(await findFileRow(digest)).toEqual({ state: 'READ', kind: 'XML', reason: null })
  await expect(runServerCommand('bank-files', 'retry', '--file', 'old.xml')).rejects.toThrow(
    'Refused file old.xml not found.',
  )
  expect(await bank.put('again.xml', text)).toBe('done')
  expect(await bank.balanceOf(customerId)).toBe(1_234n)
})

test('a file that still cannot be read is refused again with its reason, and a missing file is reported', async () => {
  expect(await bank.put('bad.xml', 'neither this nor that')).toBe('refused')
  await runServerCommand('bank-files', 'retry', '--rail', 'file-bank')
  await until(
    () => findFileRow(createHash('sha256').update('neither this nor that').digest('hex')),
    (row) => row?.state === 'REFUSED',
  )
  await until(
    () => readdir(join(findRoot(), 'refused')),
    (names) => names.includes('bad.xml'),
  )
  await rm(join(findRoot(), 'refused', 'bad.xml'))
  const { data } = await runServerCommand('bank-files', 'retry', '--file', 'bad.xml')
  expect(data).toEqual([
    expect.objectContaining({ ok: false, says: expect.stringContaining('Move it to the inbox') }),
  ])
  await expect(runServerCommand('bank-files', 'retry', '--rail', 'other')).rejects.toThrow(
    'Rail other of kind bank-files not found',
  )
})

test('`rails check` tries every folder of a file rail and leaves nothing there', async () => {
  const before = await readdir(findRoot(), { recursive: true })
  const { data } = await runServerCommand('rails', 'check')
  expect(data[0].says).toBe('The folders can be listed and written.')
  expect(data).toEqual([expect.objectContaining({ rail: 'file-bank', ok: true })])
  expect(data[0].facts.map(([name]: [string]) => name)).toEqual([
    'outbox',
    'inbox',
    'done',
    'refused',
    'worker',
  ])
  expect(await readdir(findRoot(), { recursive: true })).toEqual(before)
})

test.skipIf(process.getuid?.() === 0)(
  '`rails check` fails on a folder without write access, and names it',
  async () => {
    await chmod(join(findRoot(), 'out'), 0o555)
    const { data } = await runServerCommand('rails', 'check')
    await chmod(join(findRoot(), 'out'), 0o755)
    expect(data).toEqual([
      expect.objectContaining({ ok: false, says: expect.stringContaining('The folder out takes no files') }),
    ])
  },
)

test('`rails check` reports a worker that has stopped, but not one that was just restarted to read files again', async () => {
  const { db, workers } = bank.world.service.app
  await workers.stop()
  expect((await runServerCommand('bank-files', 'retry', '--rail', 'file-bank')).data).toHaveLength(1)
  expect((await runServerCommand('rails', 'check')).data).toEqual([expect.objectContaining({ ok: true })])
  await db.query(
    `UPDATE bank_file_workers SET created_at = now() - interval '1 day', looked_at = now() - interval '1 hour'`,
  )
  const { data } = await runServerCommand('rails', 'check')
  expect(data).toEqual([
    expect.objectContaining({
      ok: false,
      says: expect.stringContaining('The worker of this rail has stopped'),
    }),
  ])
})

test('`rails check` fails on a missing folder, and names it', async () => {
  await rm(join(findRoot(), 'refused'), { recursive: true })
  await writeFile(join(findRoot(), 'refused'), 'a file in the place of the folder')
  const { data } = await runServerCommand('rails', 'check')
  expect(data).toEqual([
    expect.objectContaining({ ok: false, says: expect.stringContaining('The folder refused') }),
  ])
})
