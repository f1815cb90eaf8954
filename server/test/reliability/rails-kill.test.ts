import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { timeLimit } from '../../../test/machine-speed.ts'
import { openDatabase } from '../../src/storage/engine/open.ts'
import { type Reply, until } from '../worlds/client.testing.ts'
import { ensureServerBuilt, onPostgres } from '../worlds/server-process.testing.ts'
import { isFull, type Random, seededRandom } from './faults.testing.ts'
import { Payments } from './payments.testing.ts'
import { RailWorld } from './rails.testing.ts'
import { expectExplainedBooks, readBankBooks } from './rails-books.testing.ts'

beforeAll(ensureServerBuilt)

const PAYMENTS = isFull ? 800 : 60
const KILLS = isFull ? 20 : 2
/** The number of server kills per kill of the bank. */
const BANK_KILLED_EVERY = isFull ? 4 : 2
const CLIENTS = isFull ? 20 : 8
const CUSTOMERS = isFull ? 8 : 3
const SERVERS = onPostgres ? 2 : 1
const SETTLED_SECONDS = 90
const QUIET_MS = 1000
const DECIDES_MS = 300
/** The maximum delay of a kill after the start of a payment, and the length of a disturbance. */
const DELAY_MS_MAX = 100
const DISTURBED_MS_MAX = 1500
/** The share of connections that get a fault at any time. */
const FAULTS = 0.2
const OPEN_STATES: ReadonlySet<string> = new Set(['PENDING', 'PROCESSING', 'APPROVED'])

test('under kills and network failures, each payment is made at most once and the records explain every balance to the unit', async () => {
  const random = seededRandom()
  const world = await RailWorld.open(SERVERS, random)
  const payments = await Payments.open(world, CUSTOMERS, random)
  let isOver = false
  const hasEnded = () => isOver
  const work = payments.makePayments(CLIENTS, PAYMENTS, random.fork()).finally(() => {
    isOver = true
  })
  try {
    await Promise.all([
      work,
      killRepeatedly(world, payments, random.fork()),
      disturbNetwork(world, random.fork(), hasEnded),
      decideRepeatedly(payments, random.fork(), hasEnded),
    ])
  } finally {
    isOver = true
    payments.isGivenUp = true
  }
  expect(world.kills).toBeGreaterThanOrEqual(KILLS)
  expect(world.toBank.broken + world.toServers.broken).toBeGreaterThan(0)

  await stopFaults(world)
  await waitUntilSettled(world, random.fork())
  const bank = await readBankBooks(world)
  await world.stop()
  await runDelayedJobs(world)
  const db = await openDatabase(world.place)
  await expectExplainedBooks(db, world.platformId, bank, payments.acknowledged)
  await db.close()
})

/** Kills servers and the bank throughout the run: each kill allows a share of the payments. */
async function killRepeatedly(world: RailWorld, payments: Payments, random: Random): Promise<void> {
  const paymentsPerKill = PAYMENTS / KILLS
  for (let kills = 0; kills < KILLS; kills++) {
    payments.allowed = Math.ceil((kills + 1) * paymentsPerKill)
    const at = kills * paymentsPerKill + random.below(paymentsPerKill)
    while (payments.made < at && !payments.isGivenUp) await pause(2)
    if (payments.isGivenUp) return
    await pause(random.below(DELAY_MS_MAX))
    const servers = random.chance(0.2) ? 2 : 1
    await Promise.all(Array.from({ length: servers }, () => world.killServer()))
    if (kills % BANK_KILLED_EVERY === BANK_KILLED_EVERY - 1) await world.killBank()
  }
}

/** Makes the network fail in either direction, and the bank slow, silent or repetitive. */
async function disturbNetwork(world: RailWorld, random: Random, isOver: () => boolean): Promise<void> {
  const setBehaviour = (behaviour: object) =>
    world.callBank('PATCH', '/behaviour', behaviour).catch(() => undefined)
  for (const network of [world.toBank, world.toServers]) {
    network.faults = FAULTS
    network.cut()
  }
  while (!isOver()) {
    const network = random.pick([world.toBank, world.toServers])
    const forMs = random.below(DISTURBED_MS_MAX)
    await random.pick([
      async () => network.cut(),
      async () => {
        network.isDown = true
        network.cut()
        await pause(forMs)
        network.isDown = false
      },
      async () => {
        network.faults = 3 * FAULTS
        network.cut()
        await pause(2 * forMs)
        network.faults = FAULTS
      },
      () => setBehaviour({ dropAnswers: random.below(10) }),
      () => setBehaviour({ dropRequests: random.below(10) }),
      () => setBehaviour({ failUntilMs: Date.now() + forMs }),
      () => setBehaviour({ repeatEvents: 1 + random.below(5) }),
      async () => {
        await setBehaviour({ answerDelayMs: random.below(3000), holdEvents: true })
        await pause(forMs)
        await setBehaviour({ answerDelayMs: 0, holdEvents: false })
      },
    ])()
    await pause(random.below(DISTURBED_MS_MAX))
  }
}

/** Decides about deposits in suspense from time to time, as a person does. */
async function decideRepeatedly(payments: Payments, random: Random, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await pause(DECIDES_MS)
    await payments.decideDeposits(random)
  }
}

async function stopFaults(world: RailWorld): Promise<void> {
  world.toBank.heal()
  world.toServers.heal()
  const healthy = { dropAnswers: 0, dropRequests: 0, failUntilMs: 0, answerDelayMs: 0, holdEvents: false }
  const { status } = await world.callBank('PATCH', '/behaviour', {
    ...healthy,
    repeatEvents: 1,
    shuffleEvents: false,
  })
  expect(status).toBe(200)
}

/** Waits until nothing is in progress, here and at the bank. Delivers or fails payments that stay accepted there. */
async function waitUntilSettled(world: RailWorld, random: Random): Promise<void> {
  const endMs = performance.now() + timeLimit(SETTLED_SECONDS * 1000)
  let quiet = 0
  let before = -1
  while (quiet < 2) {
    await pause(QUIET_MS)
    const { payments, pulls, entries, pendingEvents } = await readBankBooks(world)
    for (const [what, orders] of Object.entries({ payments, pulls }))
      for (const { id, status } of orders)
        if (status === 'ACCEPTED')
          await world.callBank(
            'POST',
            `/${what}/${encodeURIComponent(id)}/${random.pick(['deliver', 'fail'])}`,
          )
    const open = [...pendingEvents, ...(await listOpenRecords(world))]
    quiet = open.length === 0 && entries.length === before ? quiet + 1 : 0
    before = entries.length
    if (performance.now() > endMs) throw new Error(`Still under way: ${JSON.stringify(open.slice(0, 5))}`)
  }
}

/** Lists the transactions and deposits that have not ended. */
async function listOpenRecords(world: RailWorld): Promise<unknown[]> {
  const readAll = async (path: string) => {
    const records: Reply['body'][] = []
    for (let cursor = ''; ; ) {
      const { body } = await world.client().get(`${path}?limit=100${cursor}`)
      records.push(...body.data)
      if (!body.hasMore) return records
      cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`
    }
  }
  const transactions = (await readAll('/transactions')).filter(
    ({ status, refund }) => OPEN_STATES.has(status) || refund?.status === 'PENDING',
  )
  const deposits = (await readAll('/deposits')).filter(
    ({ status }) => status === 'RETURNING' || status === 'PENDING',
  )
  return [...transactions, ...deposits].map(({ id, status, refund }) => ({ id, status, refund }))
}

/** Runs the jobs scheduled in case no report arrives. They change nothing. */
async function runDelayedJobs(world: RailWorld): Promise<void> {
  const db = await openDatabase(world.place)
  const { rows } = await db.query<{ kind: string; last_error: string | null }>(
    `UPDATE jobs SET due_at = created_at, claimed_until = NULL WHERE kind <> 'quote.expire' RETURNING kind, last_error`,
  )
  await db.close()
  await world.start()
  await until(
    () => world.countFinishedJobs(),
    (done) => done >= rows.length,
  )
  await world.stop()
}
