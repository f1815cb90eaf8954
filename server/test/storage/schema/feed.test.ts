import { afterAll, beforeAll, expect, test } from 'vitest'
import { continueFeed } from '../../../src/storage/schema/continue-feed.ts'
import type { Client } from '../../worlds/client.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

let service: TestServer

beforeAll(async () => {
  service = await openServer()
})

afterAll(() => service.close())

/** Lists the customers in the order of the feed. */
async function listCustomers(client: Client, query = ''): Promise<string[]> {
  const { body } = await client.get(`/events?limit=100${query}`)
  return body.data.map((event: { data: { fullName?: string } }) => event.data.fullName)
}

async function createCustomers(client: Client, ...names: readonly string[]): Promise<void> {
  for (const fullName of names) {
    const { status } = await client.post('/customers', { customerType: 'INDIVIDUAL', fullName })
    expect(status).toBe(201)
  }
}

/** Polls, because the feed ends before any open transaction of the cluster, so that other tests delay it. */
const expectFeed = (client: Client, names: readonly string[]) =>
  expect.poll(() => listCustomers(client)).toEqual(names)

/** Simulates a logical restore into another cluster, which leaves the numbers ahead of its transactions. */
async function moveNumbersAhead(offset: number): Promise<void> {
  await service.app.db.query(
    'UPDATE events SET committed_in = (committed_in::text::bigint + $1)::text::xid8',
    [offset],
  )
}

test('after a restore into another cluster the feed shows every event, new ones last, and followers miss none', async () => {
  const client = await service.newPlatform()
  const otherClient = await service.newPlatform()
  await createCustomers(client, 'Ada', 'Grace', 'Alan')
  await createCustomers(otherClient, 'Edsger')
  await expectFeed(client, ['Ada', 'Grace', 'Alan'])
  await expectFeed(otherClient, ['Edsger'])
  const { data } = (await client.get('/events?limit=100')).body
  expect(await continueFeed(service.app.db)).toBe(false)
  // The second round stands for a backup of an already restored database.
  for (const [offset, name] of [
    [1_000_000_000, 'Barbara'],
    [70_000_000_000, 'Donald'],
  ] as const) {
    const before = await listCustomers(client)
    await moveNumbersAhead(offset)
    expect(await listCustomers(client)).toEqual([])
    // Two servers start at the same time.
    expect(await Promise.all([continueFeed(service.app.db), continueFeed(service.app.db)])).toContain(true)
    expect(await continueFeed(service.app.db)).toBe(false)
    await expectFeed(client, before)
    await createCustomers(client, name)
    await expectFeed(client, [...before, name])
    expect(await listCustomers(client, `&after=${data.at(-1).id}`)).toEqual(
      [...before, name].slice(data.length),
    )
  }
  await expectFeed(otherClient, ['Edsger'])
})
