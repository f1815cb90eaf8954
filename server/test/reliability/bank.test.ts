import { afterAll, afterEach, beforeAll, test } from 'vitest'
import type { Client } from '../worlds/client.testing.ts'
import { Bank, expectEachOnce, watchBooks } from './bank.testing.ts'
import {
  countConflictsAtCommit,
  type FaultyServer,
  isFull,
  openFaultyServer,
  type Random,
  seededRandom,
} from './faults.testing.ts'

const CLIENTS = 20
const BANK_MS = isFull ? 10_000 : 1000
const FAULTS_MS = isFull ? 10_000 : 700

let server: FaultyServer
beforeAll(async () => {
  server = await openFaultyServer()
})
afterEach(() => server.faults.heal())
afterAll(() => server.close())

/**
 * Lets clients move money while a watcher checks the books. Ends after `forMs`, but not before `isEnough` returns
 * true.
 */
async function moveMoney(
  bank: Bank,
  client: Client,
  random: Random,
  forMs: number,
  isEnough: () => boolean | Promise<boolean> = () => true,
): Promise<void> {
  const endMs = performance.now() + forMs
  let wasEnough = false
  const isOver = () => wasEnough && performance.now() > endMs
  const waitUntilEnough = async () => {
    do await new Promise((resolve) => setTimeout(resolve, 50))
    while (!(await isEnough()))
    wasEnough = true
  }
  await Promise.all([
    waitUntilEnough(),
    watchBooks(server.faults.inner, bank, () => client, random.fork(), isOver),
    bank.moveMoney(CLIENTS, random, isOver),
  ])
}

test('many parallel clients create and lose no money, and each transaction moves exactly the amount of its state', {
  tags: 'smoke',
}, async () => {
  const random = seededRandom()
  const client = await server.newPlatform()
  const bank = await Bank.open(() => client, random)
  await moveMoney(bank, client, random, BANK_MS)
  await expectEachOnce(server.faults.inner, bank, client)
})

test('if a tenth of all transactions hit serialization failures and deadlocks, clients see none and no payment is doubled', async () => {
  const random = seededRandom()
  const client = await server.newPlatform()
  const bank = await Bank.open(() => client, random)
  await server.faults.conflict(0.1, random)
  const hadBothKinds = async () =>
    server.faults.injected.size === 2 && (await countConflictsAtCommit(server.faults.inner)) > 1
  await moveMoney(bank, client, random, FAULTS_MS, hadBothKinds)
  await server.faults.heal()
  await expectEachOnce(server.faults.inner, bank, client)
})

test('if lost connections leave commits unknown, a retried request has one effect', async () => {
  const random = seededRandom()
  const client = await server.newPlatform()
  const bank = await Bank.open(() => client, random, { survives: true })
  server.faults.lose(0.05, random)
  await moveMoney(bank, client, random, FAULTS_MS, () => bank.unknown > 2)
  await server.faults.heal()
  await expectEachOnce(server.faults.inner, bank, client)
})
