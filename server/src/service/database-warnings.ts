import type { Database } from '../db/engine/port.ts'
import { lossAtFailover } from '../db/engine/synchronous.ts'
import type { App } from '../op/app.ts'

const RESTORED =
  'the database was restored into another cluster: the feed of events goes on behind its newest event'

/** What the operator should know of the database at the start. */
export async function warnOfDatabase(db: Database, log: App['log'], isRestored: boolean): Promise<void> {
  if (isRestored) log.warn(RESTORED)
  const loss = await lossAtFailover(db)
  if (loss !== undefined) log.warn(loss)
}
