import type { Database } from '../db/engine/port.ts'
import { type Background, inBackground } from '../op/background.ts'
import { deleteExpiredTokens } from './store.ts'

const INTERVAL_MS = 60_000
/** The most tokens of one statement, which is a transaction. */
const TOKENS_MAX = 1_000

/** Removes customers' tokens that have expired by real time, every minute. */
export function keepClearingTokens(
  db: Database,
  clock: () => Date,
  onError: (error: unknown) => void,
): Background {
  const clear = async () => {
    const now = clock()
    while ((await deleteExpiredTokens(db, now, TOKENS_MAX)) === TOKENS_MAX);
  }
  return inBackground(INTERVAL_MS, clear, onError)
}
