import type { Log } from '../../kernel/ports/log.ts'
import type { Database } from '../../storage/engine/port.ts'
import { findEndOfFeed, findOpenTransactions } from './store.ts'

/** The time after which a feed that stands still is logged. */
const STILL_SECONDS_MAX = 30

/** The reports of the watch. */
export interface FeedWatcher {
  /** For how many seconds events have waited for the same transaction; 0 where none wait. */
  readonly still: (seconds: number) => void
  readonly log: Pick<Log, 'warn'>
}

/**
 * Watches whether the feed of events stands still: it ends before the oldest open transaction, also one of another database of the same
 * cluster. Returns what looks once.
 */
export function createFeedWatch(
  db: Database,
  clock: () => Date,
  { still, log }: FeedWatcher,
): () => Promise<void> {
  let oldest: string | undefined
  let sinceMs = 0
  let isSaid = false
  return async () => {
    const end = await findEndOfFeed(db)
    const nowMs = clock().getTime()
    if (!end.waits || end.oldest !== oldest) {
      oldest = end.oldest
      sinceMs = nowMs
      isSaid = false
    }
    const seconds = (nowMs - sinceMs) / 1_000
    still(seconds)
    if (seconds < STILL_SECONDS_MAX || isSaid) return
    isSaid = true
    log.warn({ seconds, transactions: await findOpenTransactions(db) }, 'the feed of events stands still')
  }
}
