import type { Log } from '../../kernel/ports/log.ts'
import type { Database } from '../../storage/engine/port.ts'
import { continueFeed } from '../../storage/schema/continue-feed.ts'
import { findEndOfFeed, findOpenTransactions } from './store.ts'

/** The time after which a stalled feed is logged. */
const STILL_SECONDS_MAX = 30

/** In place of the oldest transaction, if the feed could not be continued. */
const STUCK = 'stuck'

/** The reports of the watch. */
export interface FeedWatcher {
  /** For how many seconds events have waited for the same transaction; 0 if none wait. */
  readonly still: (seconds: number) => void
  readonly log: Pick<Log, 'warn'>
}

/**
 * Watches for a stalled event feed: the feed ends before the oldest open transaction, also if that is in
 * another database of the same cluster. Continues it after the database has moved to another cluster; a feed
 * that cannot be continued also counts as stalled. Returns a function that checks once.
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
    const isStuck = !(await continues(db, log))
    const end = await findEndOfFeed(db)
    const nowMs = clock().getTime()
    const place = isStuck ? STUCK : end.oldest
    if (!(end.waits || isStuck) || place !== oldest) {
      oldest = place
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

/** Continues the feed if necessary. False if that failed. */
async function continues(db: Database, log: FeedWatcher['log']): Promise<boolean> {
  try {
    if (await continueFeed(db)) log.warn({}, 'continued the feed of events in another database cluster')
    return true
  } catch (error) {
    log.warn({ err: error }, 'failed to continue the feed of events')
    return false
  }
}
