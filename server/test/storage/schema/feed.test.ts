import { afterAll, beforeAll, expect, test } from 'vitest'
import { continueFeed } from '../../../src/storage/schema/continue-feed.ts'
import type { Client } from '../../worlds/client.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

let service: TestServer

beforeAll(async () => {
  service = await openServer()
})

afterAll(() => service.close())

/** The customers of the feed, in its order. */
async function customersIn(client: Client, query = ''): Promise<string[]> {
  const { body } = await client.get(`/events?limit=100${query}`)
  return body.data.map((event: { data: { fullName?: string } }) => event.data.fullName)
}

async function makeCustomers(client: Client, ...names: readonly string[]): Promise<void> {
  for (const fullName of names) {
    const { status } = await client.post('/customers', { customerType: 'INDIVIDUAL', fullName })
    expect(status).toBe(201)
  }
}

/** The feed ends before any open transaction of the cluster, so that other tests delay it. */
const expectFeed = (client: Client, names: readonly string[]) =>
  expect.poll(() => customersIn(client)).toEqual(names)

/** The state after a logical restore into another cluster: numbers ahead of its transactions. */
async function moveNumbersAhead(by: number): Promise<void> {
  await service.app.db.query(
    'UPDATE events SET committed_in = (committed_in::text::bigint + $1)::text::xid8',
    [by],
  )
}

test('after a restore into another cluster the feed shows every event, new ones last, and followers miss none', async () => {
  const client = await service.newPlatform()
  const other = await service.newPlatform()
  await makeCustomers(client, 'Ada', 'Grace', 'Alan')
  await makeCustomers(other, 'Edsger')
  await expectFeed(client, ['Ada', 'Grace', 'Alan'])
  await expectFeed(other, ['Edsger'])
  const { data } = (await client.get('/events?limit=100')).body
  expect(await continueFeed(service.app.db)).toBe(false)
  // Twice: a backup of an already restored database.
  for (const [by, name] of [
    [1_000_000_000, 'Barbara'],
    [70_000_000_000, 'Donald'],
  ] as const) {
    const before = await customersIn(client)
    await moveNumbersAhead(by)
    expect(await customersIn(client)).toEqual([])
    // Servers start together.
    expect(await Promise.all([continueFeed(service.app.db), continueFeed(service.app.db)])).toContain(true)
    expect(await continueFeed(service.app.db)).toBe(false)
    await expectFeed(client, before)
    await makeCustomers(client, name)
    await expectFeed(client, [...before, name])
    expect(await customersIn(client, `&after=${data.at(-1).id}`)).toEqual(
      [...before, name].slice(data.length),
    )
  }
  await expectFeed(other, ['Edsger'])
})
