import { expect } from 'vitest'
import type { Database } from '../../src/db/engine/port.ts'
import { toJson } from '../../src/json/json.ts'
import type { Client } from '../client.testing.ts'
import type { Bank } from './bank.testing.ts'
import { expectSettledBooks, expectSoundBalances } from './books.testing.ts'
import { isFull, type Random } from './random.testing.ts'

const READ_MS = 100
const CLOCK_MS = isFull ? 2000 : 400
/** Longer than the slowest payment, its return, and the expiry of a quote. */
const SETTLED_SECONDS = 20 * 60

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Checks all balances repeatedly until the end, and moves the clock, so that slow payments settle meanwhile.
 */
export async function watch(
  db: Database,
  bank: Bank,
  client: () => Client,
  random: Random,
  isOver: () => boolean,
): Promise<void> {
  const reader = async () => {
    do {
      await pause(READ_MS)
      await expectSoundBalances(db, bank.platformId)
    } while (!isOver())
  }
  const clock = async () => {
    while (!isOver()) {
      await pause(CLOCK_MS)
      await advance(client, 1 + random.below(120), bank.survives)
    }
  }
  await Promise.all([reader(), clock()])
}

/** Waits until nothing is under way, and checks that the books have exactly the acknowledged transactions. */
export async function expectEachOnce(db: Database, bank: Bank, client: Client): Promise<void> {
  await client.advance(SETTLED_SECONDS)
  const transactions = await expectSettledBooks(db, bank.platformId)
  expect([...transactions.keys()].sort()).toEqual([...bank.acknowledged].sort())
}

/** Calls without a key, since a call after a lost answer may simply go on. */
async function advance(client: () => Client, seconds: number, survives: boolean): Promise<void> {
  try {
    const { status, body } = await client().post('/sandbox/clock/advance', { seconds })
    if (status !== 200 && !survives) throw new Error(toJson(body))
  } catch (error) {
    if (!survives) throw error
  }
}
