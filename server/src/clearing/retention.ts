import type { Database } from '../db/engine/port.ts'
import { type Background, inBackground } from '../op/background.ts'
import type { Retention } from '../settings/retention.ts'
import { deleteOlder, type KeptTable } from './store.ts'

const INTERVAL_MS = 3_600_000
const DAY_MS = 24 * 3_600_000
/** The most rows of one statement, which is a transaction. */
const ROWS_MAX = 1_000

/** Removes what is older than it is kept, in small steps. Returns how many rows. Their times are those of platforms' clocks. */
export async function clearOld(db: Database, retention: Retention, now: Date): Promise<number> {
  const days = {
    messages: retention.messageDays,
    webhook_attempts: retention.webhookAttemptDays,
  } as const satisfies Record<KeptTable, number>
  let all = 0
  for (const [table, kept] of Object.entries(days) as [KeptTable, number][]) {
    const before = new Date(now.getTime() - kept * DAY_MS)
    for (let removed = ROWS_MAX; removed === ROWS_MAX; all += removed)
      removed = await deleteOlder(db, table, before, ROWS_MAX)
  }
  return all
}

/** Removes it at the start and every hour. */
export function keepClearingOld(
  db: Database,
  retention: Retention,
  clock: () => Date,
  failed: (error: unknown) => void,
): Background {
  return inBackground(INTERVAL_MS, () => clearOld(db, retention, clock()), failed, true)
}
