import type { Log } from '../../kernel/ports/log.ts'
import type { Database } from '../../storage/engine/port.ts'
import { continueFeed } from '../../storage/schema/continue-feed.ts'
import { findEndOfFeed, findOpenTransactions } from './store.ts'

/** A feed that has stalled for this long is logged. */
const STALLED_SECONDS_MAX = 30

/** Replaces the oldest transaction if the feed could not be continued. */
const STUCK = 'stuck'

/** Receives the results of each check. */
export interface FeedWatcher {
  /** Gets the number of seconds for which events have waited for the same transaction, or 0 if none wait. */
  readonly still: (seconds: number) => void
  readonly log: Pick<Log, 'warn'>
}

/**
 * Watches for a stalled event feed: the feed ends before the oldest open transaction, even if that is in
 * another database of the same cluster. Also continues the feed after the database has moved to another
 * cluster; a feed that cannot be continued counts as stalled. Returns a function that checks once.
 */
export function createFeedWatch(
  db: Database,
  clock: () => Date,
  { still, log }: FeedWatcher,
): () => Promise<void> {
  let oldest: string | undefined
  let sinceMs = 0
  let isLogged = false
  return async () => {
    const isStuck = !(await tryContinueFeed(db, log))
    const end = await findEndOfFeed(db)
    const nowMs = clock().getTime()
    const blocker = isStuck ? STUCK : end.oldest
    if (!(end.waits || isStuck) || blocker !== oldest) {
      oldest = blocker
      sinceMs = nowMs
      isLogged = false
    }
    const seconds = (nowMs - sinceMs) / 1_000
    still(seconds)
    if (seconds < STALLED_SECONDS_MAX || isLogged) return
    isLogged = true
    log.warn({ seconds, transactions: await findOpenTransactions(db) }, 'event feed is stalled')
  }
}

/** Continues the feed if necessary. Returns false if that failed. */
async function tryContinueFeed(db: Database, log: FeedWatcher['log']): Promise<boolean> {
  try {
    if (await continueFeed(db)) log.warn({}, 'continued event feed in another database cluster')
    return true
  } catch (error) {
    log.warn({ err: error }, 'failed to continue event feed')
    return false
  }
}
