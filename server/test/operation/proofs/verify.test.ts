import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import { extendChains } from '../../../src/operation/proofs/chain.ts'
import {
  type BooksReport,
  type StoredCheckpoint,
  verifyLedger,
} from '../../../src/operation/proofs/verify.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { type Client, fund, newCustomer } from '../../worlds/client.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

let service: TestServer
let client: Client
let accountId: string
/** The transfers of the account, in the order in which they ended. */
let transferIds: string[]
let storedCheckpoints: StoredCheckpoint[]

const verifyBooks = (checkpoints: readonly StoredCheckpoint[] = []) =>
  verifyLedger(service.app.db, service.app.enclave.quorumPublicKey, checkpoints)
const runBooksCommand = (...args: string[]) => runCommand(service.app, args, '')

beforeAll(async () => {
  service = await openServer()
  client = await service.newPlatform()
  const { usd } = await newCustomer(client)
  accountId = usd
  for (const amount of [100, 200, 300]) await fund(client, usd, amount)
  await runBooksCommand('books', 'checkpoint')
  const { body } = await client.get(`/ledger/transfers?accountId=${usd}&sortOrder=asc`)
  transferIds = body.data.map(({ id }: { id: string }) => id)
  storedCheckpoints = (await client.get('/ledger/checkpoints')).body.data
})
afterAll(() => service.close())

/** Changes the database with all rights, and undoes the change after the test. */
async function tamperWithDatabase(sql: string, undoSql: string): Promise<void> {
  const runUnguarded = (script: string) =>
    service.app.db.script(`
      SET LOCAL session_replication_role = replica;
      ${script}`)
  onTestFinished(() => runUnguarded(undoSql))
  await runUnguarded(sql)
}

const listFindings = (report: BooksReport, check: string) =>
  report.findings.filter((finding) => finding.check === check)

const toSqlUuid = (id: string) => `'${extractUuid(id)}'`

test('unchanged books verify, and all transfers are in the chain', async () => {
  const { checked, findings } = (await runBooksCommand('books', 'verify')) as BooksReport
  expect(findings).toEqual([])
  expect(checked).toMatchObject({ transfers: 3, chained: 3, checkpoints: 1 })
})

test('a checkpoint is signed, shown by the API, and sent as an event', async () => {
  const [checkpoint] = storedCheckpoints as unknown as Record<string, string>[]
  expect(JSON.parse(checkpoint!.payload!)).toMatchObject({
    platformId: client.credentials.platformId,
    transferCount: '3',
    hash: checkpoint!.hash,
  })
  await expect
    .poll(async () =>
      (await client.get('/events?type=LEDGER.CHECKPOINT')).body.data.map(
        ({ data }: { data: unknown }) => data,
      ),
    )
    .toEqual([checkpoint])
  expect((await verifyBooks(storedCheckpoints)).findings).toEqual([])
})

test('a block gets only one checkpoint', async () => {
  expect(await runBooksCommand('books', 'checkpoint')).toEqual({ checkpoints: [] })
})

describe('the verification finds and names', () => {
  test('a changed amount, even if the balances were changed to fit', async () => {
    const [, id] = transferIds
    const bothAccounts = `id IN (SELECT debit_account_id FROM ledger_transfers WHERE id = ${toSqlUuid(id!)}
      UNION SELECT credit_account_id FROM ledger_transfers WHERE id = ${toSqlUuid(id!)})`
    const buildChange = (amount: number, by: number) => `
      UPDATE ledger_transfers SET amount = ${amount} WHERE id = ${toSqlUuid(id!)};
      UPDATE ledger_accounts SET posted = posted + ${by} WHERE ${bothAccounts};`
    await tamperWithDatabase(buildChange(900, 700), buildChange(200, -700))
    const report = await verifyBooks()
    expect(listFindings(report, 'balance')).toEqual([])
    expect(listFindings(report, 'chain')).toMatchObject([{ id }])
    expect(report.findings).toHaveLength(1)
  })

  test('a changed balance', async () => {
    const buildChange = (by: number) =>
      `UPDATE ledger_accounts SET posted = posted + ${by} WHERE id = ${toSqlUuid(accountId)};`
    await tamperWithDatabase(buildChange(1), buildChange(-1))
    const report = await verifyBooks()
    expect(listFindings(report, 'balance')).toEqual([
      { check: 'balance', id: accountId, expected: 'posted 600, held 0', found: 'posted 601, held 0' },
    ])
    expect(listFindings(report, 'currency')).toHaveLength(1)
  })

  test('a removed transfer', async () => {
    const [id] = transferIds
    await tamperWithDatabase(
      `CREATE TABLE test_gone AS SELECT * FROM ledger_transfers WHERE id = ${toSqlUuid(id!)};
       DELETE FROM ledger_transfers WHERE id = ${toSqlUuid(id!)};`,
      'INSERT INTO ledger_transfers SELECT * FROM test_gone; DROP TABLE test_gone;',
    )
    expect(listFindings(await verifyBooks(), 'chain')).toMatchObject([{ id, found: 'missing' }])
  })

  test('an inserted transfer', async () => {
    const insertedId = '00000000-0000-7000-8000-000000000011'
    await tamperWithDatabase(
      `INSERT INTO ledger_transfers SELECT '${insertedId}', platform_id, debit_account_id, credit_account_id, currency, amount,
         state, cause, cause_id, created_at, ended_at FROM ledger_transfers LIMIT 1;`,
      `DELETE FROM ledger_transfers WHERE id = '${insertedId}';`,
    )
    expect(listFindings(await verifyBooks(), 'coverage')).toMatchObject([
      { id: 'ledger' },
      { id: `LedgerTransfer:${insertedId}`, found: 'not in any block' },
    ])
  })

  test('a removed event', async () => {
    const { rows } = await service.app.db.query<{ id: string }>(
      'SELECT id FROM events WHERE object_id = $1 ORDER BY sequence LIMIT 1',
      [extractUuid(accountId)],
    )
    const { id } = rows[0]!
    await tamperWithDatabase(
      `CREATE TABLE test_event AS SELECT * FROM events WHERE id = ${toSqlUuid(id)}; DELETE FROM events WHERE id = ${toSqlUuid(id)};`,
      'INSERT INTO events OVERRIDING SYSTEM VALUE SELECT * FROM test_event; DROP TABLE test_event;',
    )
    expect(listFindings(await verifyBooks(), 'event')).toMatchObject([{ id: accountId }])
  })

  test('a rewritten chain by its checkpoint, and a rewritten checkpoint by a copy stored elsewhere', async () => {
    const platform = toSqlUuid(client.credentials.platformId)
    const { db } = service.app
    await db.script(`
      SET LOCAL session_replication_role = replica;
      CREATE TABLE test_blocks AS SELECT * FROM proof_blocks;
      CREATE TABLE test_checkpoints AS SELECT * FROM ledger_checkpoints;
      UPDATE ledger_transfers SET cause = 'transaction' WHERE id = ${toSqlUuid(transferIds[0]!)};
      DELETE FROM proof_blocks;
      INSERT INTO proof_queue (platform_id, transfer_ids)
        SELECT platform_id, array_agg(id) FROM ledger_transfers WHERE platform_id = ${platform} GROUP BY 1;`)
    onTestFinished(() =>
      db.script(`
        SET LOCAL session_replication_role = replica;
        UPDATE ledger_transfers SET cause = 'sandbox_fund' WHERE id = ${toSqlUuid(transferIds[0]!)};
        DELETE FROM proof_blocks; INSERT INTO proof_blocks SELECT * FROM test_blocks;
        DELETE FROM ledger_checkpoints; INSERT INTO ledger_checkpoints SELECT * FROM test_checkpoints;
        DROP TABLE test_blocks; DROP TABLE test_checkpoints;`),
    )
    await extendChains(db, service.app.clock)
    expect((await verifyBooks()).findings).toMatchObject([{ check: 'checkpoint' }])
    await db.script('SET LOCAL session_replication_role = replica; DELETE FROM ledger_checkpoints;')
    await runBooksCommand('books', 'checkpoint')
    expect((await verifyBooks()).findings).toEqual([])
    expect((await verifyBooks(storedCheckpoints)).findings).toMatchObject([{ check: 'kept' }])
  })

  test('a changed checkpoint', async () => {
    const buildChange = (from: string, to: string) =>
      `UPDATE ledger_checkpoints SET payload = replace(payload, '${from}', '${to}');`
    await tamperWithDatabase(
      buildChange('"transferCount":"3"', '"transferCount":"4"'),
      buildChange('"transferCount":"4"', '"transferCount":"3"'),
    )
    expect((await verifyBooks()).findings).toMatchObject([{ check: 'checkpoint' }])
  })
})

test('the database refuses to change the chain or a checkpoint', async () => {
  for (const sql of ['UPDATE proof_blocks SET number = 7', 'DELETE FROM ledger_checkpoints'])
    await expect(service.app.db.query(sql)).rejects.toThrow('neither changed nor removed')
})

test('processes that extend the chains in parallel add each transfer only once', async () => {
  await fund(client, accountId, 5)
  await Promise.all(Array.from({ length: 8 }, () => extendChains(service.app.db, service.app.clock)))
  const { checked, findings } = await verifyBooks()
  expect(findings).toEqual([])
  expect(checked).toMatchObject({ transfers: 4, chained: 4 })
})

test('checkpoints are listed page by page, newest first, and only for their platform', async () => {
  await fund(client, accountId, 7)
  await runBooksCommand('books', 'checkpoint')
  const allCheckpoints = (await client.get('/ledger/checkpoints')).body
  expect(allCheckpoints.data.map(({ transferCount }: { transferCount: number }) => transferCount)).toEqual([
    5, 3,
  ])
  const first = (await client.get('/ledger/checkpoints?limit=1')).body
  const second = (await client.get(`/ledger/checkpoints?limit=1&cursor=${first.nextCursor}`)).body
  expect([...first.data, ...second.data]).toEqual(allCheckpoints.data)
  expect(second.hasMore).toBe(false)
  const stranger = await service.newPlatform()
  expect((await stranger.get('/ledger/checkpoints')).body.data).toEqual([])
})

test('a file of stored checkpoints may contain API records or events, and a bad line is named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-kept-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'kept.jsonl')
  await writeFile(
    file,
    `${JSON.stringify(storedCheckpoints[0])}\n${JSON.stringify({ type: 'LEDGER.CHECKPOINT', data: storedCheckpoints[0] })}\n`,
  )
  const { checked, findings } = (await runBooksCommand(
    'books',
    'verify',
    '--checkpoints',
    file,
  )) as BooksReport
  expect([checked.kept, findings]).toEqual([2, []])
  await writeFile(file, '{"payload": 1}\n')
  await expect(runBooksCommand('books', 'verify', '--checkpoints', file)).rejects.toThrow(
    'line 1: it has no payload',
  )
})
