import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { capture, hold } from '../../../src/kernel/ledger/holds.ts'
import { createOp, type Op } from '../../../src/kernel/operation/app.ts'
import { currenciesAt } from '../../../src/operation/client-money/reports.ts'
import type { Write } from '../../../src/storage/commit/writes.ts'
import { BARE_PLATFORM_BY_ID } from '../../../src/storage/read/bare-platform.ts'
import { type Client, fund, newCustomer } from '../../worlds/client.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import { journalOf } from './accounting.testing.ts'

const DAY_MS = 24 * 60 * 60 * 1000

let service: TestServer
let client: Client
let op: Op

beforeAll(async () => {
  service = await openServer()
  client = await service.newPlatform()
  const bare = await service.app.lookup(BARE_PLATFORM_BY_ID, client.credentials.platformId)
  if (!bare) throw new Error('no platform')
  op = createOp(service.app, await service.app.withConfig(bare), { kind: 'job', jobId: 'test' })
})
afterAll(() => service.close())

const later = (days: number): Op => ({ ...op, now: new Date(op.now.getTime() + days * DAY_MS) })
const dayOf = ({ now }: Op) => now.toISOString().slice(0, 10)

async function commit(writes: readonly Write[]): Promise<void> {
  expect(await service.app.committer.commit(writes)).toMatchObject({ done: true })
}

test('a transfer that was posted days after it was made is in the journal of its posting, and held until then', async () => {
  const { usd } = await newCustomer(client)
  await fund(client, usd, 1_000)
  const held = { account: usd, to: 'rail', currency: 'USD', amount: 400n } as const
  const { holdId, write } = hold(op, { cause: 'transaction', causeId: usd }, held)
  await commit([write])
  const end = later(5)
  await commit(capture(end, { ...held, holdId }))
  await client.advance(7 * 24 * 3600)

  const from = new Date(end.now.getTime() - 1000).toISOString()
  const to = new Date(end.now.getTime() + 1000).toISOString()
  const rows: Record<string, string>[] = parse(await journalOf(client, `from=${from}&to=${to}`), {
    columns: true,
  })
  expect(rows.map(({ transferId, units }) => [transferId, units])).toEqual([
    [holdId, '400'],
    [holdId, '-400'],
  ])
  const before = `from=2020-01-01T00:00:00Z&to=${from}`
  expect(await journalOf(client, before)).not.toContain(holdId)

  const usdAt = async (days: number) =>
    (await currenciesAt(later(9), dayOf(later(days)))).find(({ currency }) => currency === 'USD')
  expect(await usdAt(2)).toMatchObject({ owed: '1000', onHold: '400', held: '1000' })
  expect(await usdAt(5)).toMatchObject({ owed: '600', onHold: '0', held: '600' })
})
