import { keysOf } from '@countersign/contract/core/objects'
import type { Retention } from '../../base/settings/retention.ts'
import { type Background, runInBackground } from '../../kernel/operation/background.ts'
import type { Database } from '../../storage/engine/port.ts'
import { deleteCounted, deleteOlder, type KeptTable, RETAINED_TABLES } from './store.ts'

const INTERVAL_MS = 3_600_000
const DAY_MS = 24 * 3_600_000
/** Two months, so that the whole previous month is always available. */
const COUNTED_DAYS = 62
/** The maximum number of rows per statement. Each statement is its own transaction. */
const ROWS_MAX = 1_000

/**
 * The position up to which each table has been scanned, so that this process does not rescan rows that must
 * stay.
 */
export type ScanPositions = Map<KeptTable, readonly string[]>

/** Removes data past its retention period in small steps. Returns the number of rows removed. */
export async function removeOld(
  db: Database,
  retention: Retention,
  now: Date,
  scannedUpTo: ScanPositions = new Map(),
): Promise<number> {
  let total = 0
  for (const table of keysOf(RETAINED_TABLES)) {
    const before = subtractDays(now, retention[RETAINED_TABLES[table].kind])
    for (;;) {
      const { removed, last } = await deleteOlder(db, table, before, scannedUpTo.get(table), ROWS_MAX)
      total += removed
      if (!last) break
      scannedUpTo.set(table, last)
    }
  }
  return total + (await removeCounted(db, subtractDays(now, COUNTED_DAYS)))
}

/** Removes the velocity-limit counters of past days and months. */
async function removeCounted(db: Database, before: Date): Promise<number> {
  let total = 0
  for (;;) {
    const removed = await deleteCounted(db, before, ROWS_MAX)
    total += removed
    if (removed < ROWS_MAX) return total
  }
}

function subtractDays(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS)
}

/** Removes outdated data at startup and then every hour. */
export function startRetentionSweep(
  db: Database,
  retention: Retention,
  clock: () => Date,
  onFailure: (error: unknown) => void,
): Background {
  const scannedUpTo: ScanPositions = new Map()
  return runInBackground(INTERVAL_MS, () => removeOld(db, retention, clock(), scannedUpTo), onFailure, {
    startsImmediately: true,
  })
}
