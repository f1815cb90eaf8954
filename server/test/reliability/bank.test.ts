import { afterAll, afterEach, beforeAll, test } from 'vitest'
import type { Client } from '../worlds/client.testing.ts'
import { Bank, expectEachOnce, watch } from './bank.testing.ts'
import { conflictsAtCommit, isFull, type Random, seededRandom } from './faults.testing.ts'
import { type FaultyServer, openFaultyServer } from './faulty-server.testing.ts'

const CLIENTS = 20
const BANK_MS = isFull ? 10_000 : 1000
const FAULTS_MS = isFull ? 10_000 : 700

let service: FaultyServer
beforeAll(async () => {
  service = await openFaultyServer()
})
afterEach(() => service.faults.heal())
afterAll(() => service.close())

/** Clients move money for a time, and until there was enough of what is tested, while a watcher checks the books. */
async function work(
  bank: Bank,
  client: Client,
  random: Random,
  forMs: number,
  isEnough: () => boolean | Promise<boolean> = () => true,
): Promise<void> {
  const endMs = performance.now() + forMs
  let wasEnough = false
  const isOver = () => wasEnough && performance.now() > endMs
  const look = async () => {
    do await new Promise((resolve) => setTimeout(resolve, 50))
    while (!(await isEnough()))
    wasEnough = true
  }
  await Promise.all([
    look(),
    watch(service.faults.inner, bank, () => client, random.fork(), isOver),
    bank.work(CLIENTS, random, isOver),
  ])
}

test('money that many clients move is never made or lost, and each transaction moves exactly the amount of its state', {
  tags: 'smoke',
}, async () => {
  const random = seededRandom()
  const client = await service.newPlatform()
  const bank = await Bank.open(() => client, random)
  await work(bank, client, random, BANK_MS)
  await expectEachOnce(service.faults.inner, bank, client)
})

test('serialization failures and deadlocks in a tenth of all transactions are hidden from clients and double nothing', async () => {
  const random = seededRandom()
  const client = await service.newPlatform()
  const bank = await Bank.open(() => client, random)
  await service.faults.conflict(0.1, random)
  const wereBoth = async () =>
    service.faults.injected.size === 2 && (await conflictsAtCommit(service.faults.inner)) > 1
  await work(bank, client, random, FAULTS_MS, wereBoth)
  await service.faults.heal()
  await expectEachOnce(service.faults.inner, bank, client)
})

test('if lost connections leave commits unknown, a client that retries has one effect', async () => {
  const random = seededRandom()
  const client = await service.newPlatform()
  const bank = await Bank.open(() => client, random, { survives: true })
  service.faults.lose(0.05, random)
  await work(bank, client, random, FAULTS_MS, () => bank.unknown > 2)
  await service.faults.heal()
  await expectEachOnce(service.faults.inner, bank, client)
})
