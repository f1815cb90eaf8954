import { afterAll, afterEach, beforeAll, test, vi } from 'vitest'
import type { Client } from '../client.testing.ts'
import { Bank } from './bank.testing.ts'
import { conflictsAtCommit } from './faults.testing.ts'
import { isFull, type Random, seededRandom } from './random.testing.ts'
import { type OwnService, openOwnService } from './service.testing.ts'
import { expectEachOnce, watch } from './watch.testing.ts'

vi.setConfig({ testTimeout: 300_000 })

const CLIENTS = 20
const BANK_MS = isFull ? 30_000 : 1000
const FAULTS_MS = isFull ? 10_000 : 700

let service: OwnService
beforeAll(async () => {
  service = await openOwnService()
})
afterEach(() => service.db.heal())
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
    watch(service.db.inner, bank, () => client, random.fork(), isOver),
    bank.work(CLIENTS, random, isOver),
  ])
}

test('money that many clients move is never made or lost, and each transaction moves exactly what its state says', async () => {
  const random = seededRandom()
  const client = await service.newPlatform()
  const bank = await Bank.open(() => client, random)
  await work(bank, client, random, BANK_MS)
  await expectEachOnce(service.db.inner, bank, client)
})

test('serialization failures and deadlocks in a tenth of all transactions are hidden from clients and double nothing', async () => {
  const random = seededRandom()
  const client = await service.newPlatform()
  const bank = await Bank.open(() => client, random)
  await service.db.conflict(0.1, random)
  const wereBoth = async () =>
    service.db.injected.size === 2 && (await conflictsAtCommit(service.db.inner)) > 1
  await work(bank, client, random, FAULTS_MS, wereBoth)
  await service.db.heal()
  await expectEachOnce(service.db.inner, bank, client)
})

test('where lost connections leave commits unknown, a client that retries has one effect', async () => {
  const random = seededRandom()
  const client = await service.newPlatform()
  const bank = await Bank.open(() => client, random, { survives: true })
  service.db.lose(0.05, random)
  await work(bank, client, random, FAULTS_MS, () => bank.unknown > 2)
  await service.db.heal()
  await expectEachOnce(service.db.inner, bank, client)
})
