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
/** The server is killed after as many answers at most, and then as many milliseconds at most. */
const ANSWERS_MAX = 2 * CLIENTS
const DELAY_MS_MAX = 30
/** The receiver of the webhooks refuses one in so many, which then comes again. */
const REFUSED_EVERY = 50
const SETTLED_SECONDS = 20 * 60
const DELIVERED_MS_MAX = timeLimit(120_000)

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('kill -9 at any moment loses nothing that was acknowledged, and a retry does nothing twice', async () => {
  const random = seededRandom()
  const place = await newPlace()
  let server = await ServerProcess.ready(place)
  let client = server.client()
  const receiver = await Receiver.of(client)
  receiver.answer = () => (random.below(REFUSED_EVERY) === 0 ? 500 : 200)
  const bank = await Bank.open(() => client, random, { survives: true, signedIn: 2 })
  let rounds = 0
  const kill = async () => {
    const begun = bank.asks.length
    const answers = bank.answers + 1 + random.below(ANSWERS_MAX)
    while (bank.answers < answers) await pause(2)
    await pause(random.below(DELAY_MS_MAX))
    expect((await server.kill('SIGKILL')).signal).toBe('SIGKILL')
    const acknowledged = bank.asks.slice(begun).filter(({ answer }) => answer)
    server = await ServerProcess.ready(place)
    client = server.client()
    rounds += 1
    // An answered request gets its answer again, from the next process.
    await Promise.all(acknowledged.map((ask) => bank.askAgain(ask)))
  }
  const killer = async () => {
    while (rounds < ROUNDS) await kill()
  }
  await Promise.all([killer(), bank.work(CLIENTS, random, () => rounds === ROUNDS)])
  expect(bank.unknown).toBeGreaterThan(0)

  await client.advance(SETTLED_SECONDS)
  await expectDelivered(client, receiver)
  expect((await client.get('/customers?limit=1')).body.totalCount).toBe(bank.customers.size)
  const shown = await Promise.all(
    [...bank.accounts, ...bank.wallets].map(({ id, customerId }) => balanceShown(client, id, customerId)),
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

async function balanceShown(client: Client, id: string, customerId: string): Promise<[string, number]> {
  const { body } = await client.get(`/customers/internal-accounts?customerId=${customerId}&limit=100`)
  return [id, body.data.find((account: { id: string }) => account.id === id).balance.amount]
}

/**
 * Checks that the receiver got every event of the feed, repetitions with the same id and body. Those of one object arrived
 * in order; a repetition may be late.
 */
async function expectDelivered(client: Client, receiver: Receiver): Promise<void> {
  // The TEST of a new endpoint is not counted.
  const happened = async () => (await feedOf(client)).filter(({ type }) => type !== 'TEST')
  let events = await happened()
  const missing = () => {
    const came = new Set(receiver.received.map(({ event }) => event.id))
    return events
      .filter(({ id }) => !came.has(id))
      .map(({ id, type, objectId, sequence }) => ({ id, type, objectId, sequence }))
  }
  const limitMs = performance.now() + DELIVERED_MS_MAX
  // Claims of a killed process expire before its jobs run again. The time that passes causes events too.
  while (missing().length > 0 && performance.now() < limitMs) {
    await client.advance(60)
    events = await happened()
  }
  expect(missing(), 'events that did not arrive').toEqual([])

  const first = new Map<string, Received>()
  const last = new Map<string, number>()
  for (const received of receiver.received) {
    const { id, objectId, sequence } = received.event
    expect(received.headers['webhook-id']).toBe(id)
    expect(received.text).toBe((first.get(id) ?? received).text)
    if (first.has(id)) continue
    expect(sequence, `${id} of ${objectId}`).toBeGreaterThan(last.get(objectId) ?? 0)
    first.set(id, received)
    last.set(objectId, sequence)
  }
  expect([...first.keys()].sort()).toEqual(events.map(({ id }) => id).sort())
}

/** All events since the platform has an endpoint. */
async function feedOf(client: Client): Promise<Reply['body'][]> {
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
