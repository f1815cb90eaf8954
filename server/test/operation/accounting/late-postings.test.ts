import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { capture, hold } from '../../../src/kernel/ledger/holds.ts'
import { createOp, type Op } from '../../../src/kernel/operation/app.ts'
import { buildReportCurrencies } from '../../../src/operation/client-money/reports.ts'
import type { Write } from '../../../src/storage/commit/writes.ts'
import { BARE_PLATFORM_BY_ID } from '../../../src/storage/read/bare-platform.ts'
import { type Client, fund, newCustomer } from '../../worlds/client.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import { readJournal } from './accounting.testing.ts'

const DAY_MS = 24 * 60 * 60 * 1000

let service: TestServer
let client: Client
let op: Op

beforeAll(async () => {
  service = await openServer()
  client = await service.newPlatform()
  const barePlatform = await service.app.lookup(BARE_PLATFORM_BY_ID, client.credentials.platformId)
  if (!barePlatform) throw new Error('no platform')
  op = createOp(service.app, await service.app.withConfig(barePlatform), { kind: 'job', jobId: 'test' })
})
afterAll(() => service.close())

const createLaterOp = (days: number): Op => ({ ...op, now: new Date(op.now.getTime() + days * DAY_MS) })
const formatDay = ({ now }: Op) => now.toISOString().slice(0, 10)

async function commitWrites(writes: readonly Write[]): Promise<void> {
  expect(await service.app.committer.commit(writes)).toMatchObject({ done: true })
}

test('a transfer posted days after its creation is in the journal of its posting day, and counts as held until then', async () => {
  const { usd } = await newCustomer(client)
  await fund(client, usd, 1_000)
  const movement = { account: usd, to: 'rail', currency: 'USD', amount: 400n } as const
  const { holdId, write } = hold(op, { cause: 'transaction', causeId: usd }, movement)
  await commitWrites([write])
  const endOp = createLaterOp(5)
  await commitWrites(capture(endOp, { ...movement, holdId }))
  await client.advance(7 * 24 * 3600)

  const from = new Date(endOp.now.getTime() - 1000).toISOString()
  const to = new Date(endOp.now.getTime() + 1000).toISOString()
  const rows: Record<string, string>[] = parse(await readJournal(client, `from=${from}&to=${to}`), {
    columns: true,
  })
  expect(rows.map(({ transferId, units }) => [transferId, units])).toEqual([
    [holdId, '400'],
    [holdId, '-400'],
  ])
  const earlierPeriod = `from=2020-01-01T00:00:00Z&to=${from}`
  expect(await readJournal(client, earlierPeriod)).not.toContain(holdId)

  const readUsdAt = async (days: number) =>
    (await buildReportCurrencies(createLaterOp(9), formatDay(createLaterOp(days)))).find(
      ({ currency }) => currency === 'USD',
    )
  expect(await readUsdAt(2)).toMatchObject({ owed: '1000', onHold: '400', held: '1000' })
  expect(await readUsdAt(5)).toMatchObject({ owed: '600', onHold: '0', held: '600' })
})
