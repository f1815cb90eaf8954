import { keysOf } from '@countersign/contract/core/objects'
import { readUuidTime } from '../engine/ids.ts'
import type { Database } from '../engine/port.ts'
import { buildUniqueIndex, MONTHLY, type MonthlyTable } from './monthly.ts'
import { buildSchemaLock } from './schema-lock.ts'

const MONTHS_LOCK = 7_202_510_134
/** A statement that waits to lock a table blocks all statements after it. */
export const LOCK_MS_MAX = 500

const UUID = /'([0-9a-f-]{36})'/

/** A partition. Its keys are at or after `from` and before `until`. */
export interface Part {
  readonly table: MonthlyTable
  readonly name: string
  /** Undefined for the first partition, which has no lower bound. */
  readonly from: Date | undefined
  readonly until: Date
  readonly untilId: string
}

/** All partitions, oldest first, except those for clocks that are ahead. */
export async function findParts(db: Database): Promise<Part[]> {
  const { rows } = await db.query<{ table: MonthlyTable; name: string; bound: string }>(
    `SELECT i.inhparent::regclass::text AS table, c.relname::text AS name, pg_get_expr(c.relpartbound, c.oid) AS bound
     FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = ANY ($1::text[]::regclass[])`,
    [Object.keys(MONTHLY)],
  )
  return rows
    .flatMap(({ bound, ...part }): Part[] => {
      const [from, until] = bound.split(' TO ')
      const untilId = until && UUID.exec(until)?.[1]
      if (!from || !untilId) return []
      const fromId = UUID.exec(from)?.[1]
      return [
        { ...part, untilId, until: readUuidTime(untilId), from: fromId ? readUuidTime(fromId) : undefined },
      ]
    })
    .sort((left, right) => left.until.getTime() - right.until.getTime())
}

/**
 * Creates missing partitions for this month and the next one. Concurrent processes take turns. Rows of a
 * month without a partition go to another partition of the table, so a delay does no harm.
 */
export async function addMonths(db: Database, now: Date): Promise<void> {
  const parts = await findParts(db)
  for (const table of keysOf(MONTHLY)) {
    const end = parts.findLast((part) => part.table === table)?.until
    if (!end) throw new Error(`${table} has no first partition`)
    for (let month = end; month < startOfNextMonth(startOfNextMonth(now)); month = startOfNextMonth(month))
      await addMonth(db, table, month)
  }
}

/** Creates a table's partition for the month starting at this time, if it is missing. */
export function addMonth(db: Database, table: MonthlyTable, month: Date): Promise<void> {
  return db.script(addPartition(table, month))
}

/** The start of the next month in UTC. */
export function startOfNextMonth(at: Date): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1))
}

/**
 * Creates the partition for a month, unless a clock that is ahead has already put rows of the month
 * elsewhere. All its rows then go there, and the month has no separate partition.
 */
function addPartition(table: MonthlyTable, month: Date): string {
  const name = `${table}_${month.toISOString().slice(0, 7).replace('-', '_')}`
  return `
SET LOCAL lock_timeout = ${LOCK_MS_MAX};
SELECT ${buildSchemaLock(MONTHS_LOCK)};
DO $month$
BEGIN
  IF to_regclass('${name}') IS NULL THEN
    CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES);
    ${buildUniqueIndex(table, name)}
    ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${toLowestUuidAt(month)}') TO ('${toLowestUuidAt(startOfNextMonth(month))}');
  END IF;
EXCEPTION WHEN check_violation THEN
  NULL;
END $month$;`
}

/** The lowest uuid for a time, regardless of the UUID version. */
export function toLowestUuidAt(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
