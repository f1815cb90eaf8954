import { keysOf } from '@countersign/contract/core/objects'
import type { Database } from '../engine/port.ts'
import { MONTHLY, type MonthlyTable, uniqueNumbers } from './monthly.ts'

/** A random number that nothing else on the database server locks. */
const MONTHS_LOCK = 7_202_510_134
/** What waits to lock a table holds up all who come after it. */
export const LOCK_MS_MAX = 500

const UUID = /'([0-9a-f-]{36})'/

/** A part of a table: rows whose key is from `from` on, and before `until`. */
export interface Part {
  readonly table: MonthlyTable
  readonly name: string
  /** Undefined: from the first row on. */
  readonly from: Date | undefined
  readonly until: Date
  readonly untilId: string
}

/** The parts of all divided tables, oldest first, but for those of what comes from clocks that are ahead. */
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
      return [{ ...part, untilId, until: timeOf(untilId), from: fromId ? timeOf(fromId) : undefined }]
    })
    .sort((one, other) => one.until.getTime() - other.until.getTime())
}

/**
 * Makes the parts for this month and the next one where they are missing. Processes that do so together take turns. Rows of a month that has
 * no part go to another one of their table, so nothing depends on this being in time.
 */
export async function addMonths(db: Database, now: Date): Promise<void> {
  const parts = await findParts(db)
  for (const table of keysOf(MONTHLY)) {
    const end = parts.findLast((part) => part.table === table)?.until
    if (!end) throw new Error(`${table} has no first part`)
    for (let month = end; month < monthAfter(monthAfter(now)); month = monthAfter(month))
      await addMonth(db, table, month)
  }
}

/** Makes the part of one table for the month that begins then, where it is missing. */
export function addMonth(db: Database, table: MonthlyTable, month: Date): Promise<void> {
  return db.script(adding(table, month))
}

/** The beginning of the month after a moment, in UTC. */
export function monthAfter(at: Date): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1))
}

/**
 * The table for a month. Where a clock that is ahead has put rows of that month elsewhere already, they all go there: such a month has no
 * table of its own.
 */
function adding(table: MonthlyTable, month: Date): string {
  const name = `${table}_${month.toISOString().slice(0, 7).replace('-', '_')}`
  return `
SET LOCAL lock_timeout = ${LOCK_MS_MAX};
SELECT pg_advisory_xact_lock(${MONTHS_LOCK});
DO $month$
BEGIN
  IF to_regclass('${name}') IS NULL THEN
    CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES);
    ${uniqueNumbers(table, name)}
    ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${leastIdOf(month)}') TO ('${leastIdOf(monthAfter(month))}');
  END IF;
EXCEPTION WHEN check_violation THEN
  NULL;
END $month$;`
}

/** The least uuid of a moment, whatever its version. */
export function leastIdOf(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

function timeOf(id: string): Date {
  return new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16))
}
