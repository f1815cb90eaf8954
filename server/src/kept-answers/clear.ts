import type { Database } from '../db/engine/port.ts'
import { type Background, inBackground } from '../op/background.ts'
import { deleteExpiredKeys } from './store.ts'

const INTERVAL_MS = 60_000
/** The most keys of one statement, which is a transaction. */
const KEYS_MAX = 1_000

/** Removes idempotency keys that have expired by real time. Returns how many. */
export async function clearExpiredKeys(db: Database, now: Date): Promise<number> {
  let all = 0
  for (;;) {
    const removed = await deleteExpiredKeys(db, now, KEYS_MAX)
    all += removed
    if (removed < KEYS_MAX) return all
  }
}

/** Removes expired keys every minute. */
export function keepClearing(db: Database, clock: () => Date, onError: (error: unknown) => void): Background {
  return inBackground(INTERVAL_MS, () => clearExpiredKeys(db, clock()), onError)
}
