import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { timeLimit } from '../../../test/machine-speed.ts'
import { openDatabase } from '../../src/storage/engine/open.ts'
import type { Client, Reply } from '../worlds/client.testing.ts'
import { ensureServerBuilt, newPlace, ServerProcess } from '../worlds/server-process.testing.ts'
import { type Received, Receiver } from '../worlds/simulators/webhook-receiver.testing.ts'
import { Bank } from './bank.testing.ts'
import { expectSettledBooks, expectSoundBalances } from './books.testing.ts'
import { isFull, seededRandom } from './faults.testing.ts'

beforeAll(ensureServerBuilt)

const ROUNDS = isFull ? 20 : 2
const CLIENTS = isFull ? 50 : 20
/** The server is killed after at most this many responses, and then at most `DELAY_MS_MAX` later. */
const RESPONSES_MAX = 2 * CLIENTS
const DELAY_MS_MAX = 30
/** The webhook receiver refuses one delivery in this many, and the server retries it. */
const REFUSED_EVERY = 50
const SETTLED_SECONDS = 20 * 60
const DELIVERED_MS_MAX = timeLimit(120_000)

test('a kill -9 at any moment loses no acknowledged request, and a retried request has one effect', async () => {
  const random = seededRandom()
  const place = await newPlace()
  let server = await ServerProcess.ready(place)
  let client = server.client()
  const receiver = await Receiver.of(client)
  receiver.answer = () => (random.below(REFUSED_EVERY) === 0 ? 500 : 200)
  const bank = await Bank.open(() => client, random, { survives: true, signedIn: 2 })
  let rounds = 0
  const killOnce = async () => {
    const firstNew = bank.requests.length
    const killAfter = bank.responseCount + 1 + random.below(RESPONSES_MAX)
    while (bank.responseCount < killAfter) await pause(2)
    await pause(random.below(DELAY_MS_MAX))
    expect((await server.kill('SIGKILL')).signal).toBe('SIGKILL')
    const acknowledged = bank.requests.slice(firstNew).filter(({ response }) => response)
    server = await ServerProcess.ready(place)
    client = server.client()
    rounds += 1
    // The next process replays the response of every acknowledged request.
    await Promise.all(acknowledged.map((request) => bank.sendAgain(request)))
  }
  const killRepeatedly = async () => {
    while (rounds < ROUNDS) await killOnce()
  }
  await Promise.all([killRepeatedly(), bank.moveMoney(CLIENTS, random, () => rounds === ROUNDS)])
  expect(bank.unknown).toBeGreaterThan(0)

  await client.advance(SETTLED_SECONDS)
  await expectDelivered(client, receiver)
  expect((await client.get('/customers?limit=1')).body.totalCount).toBe(bank.customers.size)
  const shown = await Promise.all(
    [...bank.accounts, ...bank.wallets].map(({ id, customerId }) => readBalance(client, id, customerId)),
  )
  expect((await server.kill('SIGTERM')).code).toBe(0)
  const db = await openDatabase(place)
  const transactions = await expectSettledBooks(db, bank.platformId)
  const balances = await expectSoundBalances(db, bank.platformId)
  await db.close()
  expect([...transactions.keys()].sort()).toEqual([...bank.acknowledged].sort())
  const stored = shown.map(([id]) => [id, Number(balances.get(id)!.posted - balances.get(id)!.held)])
  expect(shown).toEqual(stored)
})

async function readBalance(client: Client, id: string, customerId: string): Promise<[string, number]> {
  const { body } = await client.get(`/customers/internal-accounts?customerId=${customerId}&limit=100`)
  return [id, body.data.find((account: { id: string }) => account.id === id).balance.amount]
}

/**
 * Checks that the receiver got every event of the feed, and that repeated deliveries have the same id and body. The first
 * deliveries of one object arrive in order.
 */
async function expectDelivered(client: Client, receiver: Receiver): Promise<void> {
  // Leaves out the TEST event of the new endpoint.
  const listEvents = async () => (await readFeed(client)).filter(({ type }) => type !== 'TEST')
  let events = await listEvents()
  const listMissing = () => {
    const received = new Set(receiver.received.map(({ event }) => event.id))
    return events
      .filter(({ id }) => !received.has(id))
      .map(({ id, type, objectId, sequence }) => ({ id, type, objectId, sequence }))
  }
  const limitMs = performance.now() + DELIVERED_MS_MAX
  // The jobs of a killed process run again once its claims expire. The passing time causes events too.
  while (listMissing().length > 0 && performance.now() < limitMs) {
    await client.advance(60)
    events = await listEvents()
  }
  expect(listMissing(), 'events that did not arrive').toEqual([])

  const firstDeliveries = new Map<string, Received>()
  const lastSequences = new Map<string, number>()
  for (const received of receiver.received) {
    const { id, objectId, sequence } = received.event
    expect(received.headers['webhook-id']).toBe(id)
    expect(received.text).toBe((firstDeliveries.get(id) ?? received).text)
    if (firstDeliveries.has(id)) continue
    expect(sequence, `${id} of ${objectId}`).toBeGreaterThan(lastSequences.get(objectId) ?? 0)
    firstDeliveries.set(id, received)
    lastSequences.set(objectId, sequence)
  }
  expect([...firstDeliveries.keys()].sort()).toEqual(events.map(({ id }) => id).sort())
}

/** Reads all events since the platform's first webhook endpoint. */
async function readFeed(client: Client): Promise<Reply['body'][]> {
  const events: Reply['body'][] = []
  for (let cursor = ''; ; ) {
    const { status, body } = await client.get(
      `/events?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    expect(status).toBe(200)
    events.push(...body.data)
    if (!body.hasMore) return events
    cursor = body.nextCursor
  }
}
