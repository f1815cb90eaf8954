import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownDatabase, type PostgresDatabase, TEST_MASTER_KEY } from '../../../../test/databases.testing.ts'
import { toJson } from '../../../src/base/json/json.ts'
import { readConfig } from '../../../src/base/settings/config.ts'
import { createPlatform, formatBaseUrl } from '../../../src/edge/service/first-platform.ts'
import { openService, type Service } from '../../../src/edge/service/service.ts'
import { update } from '../../../src/storage/commit/writes.ts'
import { openDatabase } from '../../../src/storage/engine/open.ts'
import type { Database, QueryOptions, StatementResult } from '../../../src/storage/engine/port.ts'
import { Client } from '../../worlds/client.testing.ts'
import { newAgent, newPayer } from '../../worlds/records/agents.testing.ts'

const MARK = 'm'.repeat(400)
/** About 30 KiB of settings. */
const ISSUERS = Array.from({ length: 60 }, (_, index) => ({ issuer: `https://${MARK}${index}.example` }))

/** A service that counts the database results that contain the long settings. */
interface Process {
  readonly service: Service
  readonly baseUrl: string
  countMarked(): number
}

/** On PostgreSQL two processes share the database. An embedded database has only one process. */
let database: PostgresDatabase | undefined
let dataDir: string
let server: Process
let otherServer: Process

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'countersign-config-'))
  database = await ownDatabase(dataDir)
  server = await openProcess()
  otherServer = database ? await openProcess() : server
})
afterAll(async () => {
  await server.service.close()
  if (otherServer !== server) await otherServer.service.close()
  await database?.drop()
  await rm(dataDir, { recursive: true, force: true })
})

async function openProcess(): Promise<Process> {
  let markedCount = 0
  const config = readConfig({
    DATABASE_URL: database?.url,
    COUNTERSIGN_DATA_DIR: dataDir,
    COUNTERSIGN_MASTER_KEY: TEST_MASTER_KEY,
    LOG_LEVEL: 'silent',
  })
  const watchDatabase = (inner: Database): Database => ({
    kind: inner.kind,
    script: (sql) => inner.script(sql),
    close: () => inner.close(),
    async query<Row>(sql: string, parameters?: readonly unknown[], options?: QueryOptions) {
      const result: StatementResult<Row> = await inner.query<Row>(sql, parameters, options)
      if (toJson(result.rows).includes(MARK)) markedCount++
      return result
    },
  })
  const service = await openService(config, {
    checkResponses: true,
    openDatabase: async (settings) => watchDatabase(await openDatabase(settings)),
  })
  await service.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.server.server.address() as AddressInfo
  return { service, baseUrl: formatBaseUrl('127.0.0.1', port), countMarked: () => markedCount }
}

async function newPlatform(): Promise<Client> {
  return new Client(await createPlatform(server.service.app, 'Test'), server.baseUrl)
}

test('authentication and jobs do not read long settings from the database', async () => {
  const client = await newPlatform()
  const payer = await newPayer(client)
  const oauthConfig = { issuers: ISSUERS }
  expect((await client.send('PATCH', '/config', { oauthConfig })).status).toBe(200)
  const before = server.countMarked()
  expect((await client.get('/config')).body).toMatchObject({ oauthConfig })
  expect(server.countMarked() - before).toBe(1)

  // These calls cover the backend, a device code, an agent and the job of a payout, with their events.
  const agent = await newAgent(client, payer.id)
  const payout = await agent.transferOut(payer, 1_000)
  expect(payout.status, toJson(payout.body)).toBe(201)
  const body = { source: { accountId: payer.usd }, destination: { accountId: payer.bank }, amount: 1_000 }
  const transfers = await Promise.all([1, 2, 3].map(() => client.post('/transfer-out', body)))
  expect(transfers.map(({ status }) => status)).toEqual([201, 201, 201])
  await client.advance(60)
  for (const transfer of transfers)
    expect((await client.get(`/transactions/${transfer.body.id}`)).body.status).toBe('COMPLETED')
  const stranger = new Client({ ...client.credentials, clientSecret: 'wrong' }, server.baseUrl)
  expect((await stranger.get('/config')).status).toBe(401)
  expect(server.countMarked() - before).toBe(1)
})

test('a change of the settings applies to the next request, in every process', async () => {
  const client = await newPlatform()
  const otherClient = new Client(client.credentials, otherServer.baseUrl)
  const payer = await newPayer(client)
  const body = { source: { accountId: payer.usd }, destination: { accountId: payer.bank }, amount: 1_000 }
  for (let turn = 0; turn < 6; turn++) {
    const [writer, reader] = turn % 2 ? [otherClient, client] : [client, otherClient]
    const maxAmount = turn % 3 ? 1_000 : 999
    const usd = {
      currencyCode: 'USD',
      minAmount: 1,
      maxAmount,
      requiredCounterpartyFields: [],
      enabledTransactionTypes: ['INCOMING', 'OUTGOING'],
    }
    const changed = await writer.send('PATCH', '/config', { supportedCurrencies: [usd] })
    expect(changed.status, toJson(changed.body)).toBe(200)
    const { status } = await reader.post('/transfer-out', body)
    expect(status, `turn ${turn}`).toBe(maxAmount < 1_000 ? 400 : 201)
    expect((await reader.get('/config')).body).toEqual(changed.body)
  }
})

test('the database refuses changed settings with an unchanged version', async () => {
  const { platformId } = (await newPlatform()).credentials
  const { committer, read } = server.service.app
  const row = read.selectFrom('platforms').selectAll().where('id', '=', platformId)
  const { config, version } = await row.executeTakeFirstOrThrow()
  const change = (set: object) => committer.commit([update('platforms', platformId, {}, set)])
  await expect(change({ config })).rejects.toThrow('platforms.version has to move on')
  await expect(change({ config, version })).rejects.toThrow('platforms.version has to move on')
  expect(await change({ config, version: version + 1 })).toEqual({ done: true })
  expect(await change({ clock_offset_ms: 1n })).toEqual({ done: true })
})
