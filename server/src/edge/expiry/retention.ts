import { keysOf } from '@countersign/contract/core/objects'
import type { Retention } from '../../base/settings/retention.ts'
import { type Background, inBackground } from '../../kernel/operation/background.ts'
import type { Database } from '../../storage/engine/port.ts'
import { deleteCounted, deleteOlder, KEPT, type KeptTable } from './store.ts'

const INTERVAL_MS = 3_600_000
const DAY_MS = 24 * 3_600_000
/** The previous month is complete for all of that time. */
const COUNTED_DAYS = 62
/** The maximum number of rows per statement, which is a transaction. */
const ROWS_MAX = 1_000

/**
 * The position up to which the old rows of each table were scanned. This process does not scan kept rows
 * again.
 */
export type Passed = Map<KeptTable, readonly string[]>

/** Removes data beyond its retention in small steps, by platforms' clocks. Returns the number of rows. */
export async function removeOld(
  db: Database,
  retention: Retention,
  now: Date,
  passed: Passed = new Map(),
): Promise<number> {
  let all = 0
  for (const table of keysOf(KEPT)) {
    const before = daysBefore(now, retention[KEPT[table].kind])
    for (;;) {
      const { removed, last } = await deleteOlder(db, table, before, passed.get(table), ROWS_MAX)
      all += removed
      if (!last) break
      passed.set(table, last)
    }
  }
  return all + (await removeCounted(db, daysBefore(now, COUNTED_DAYS)))
}

/** Removes velocity-limit counts of past days and months. */
async function removeCounted(db: Database, before: Date): Promise<number> {
  let all = 0
  for (;;) {
    const removed = await deleteCounted(db, before, ROWS_MAX)
    all += removed
    if (removed < ROWS_MAX) return all
  }
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS)
}

/** Removes old data at the start and every hour. */
export function startRetentionSweep(
  db: Database,
  retention: Retention,
  clock: () => Date,
  failed: (error: unknown) => void,
): Background {
  const passed: Passed = new Map()
  return inBackground(INTERVAL_MS, () => removeOld(db, retention, clock(), passed), failed, {
    beginsNow: true,
  })
}
