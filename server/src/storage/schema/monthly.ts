/** A table partitioned by the time in the first 48 bits of its ids. */
interface Monthly {
  readonly primaryKey: string
  /**
   * Columns that are unique within each partition. A unique key of the whole table would have to include the
   * id.
   */
  readonly numbered?: string
}

export type MonthlyTable = 'events' | 'webhook_attempts' | 'audit_events'

/**
 * Tables partitioned by month. Rows are only appended, and rows older than a month are rarely read (decision
 * 0064).
 */
export const MONTHLY: Readonly<Record<MonthlyTable, Monthly>> = {
  events: { primaryKey: 'id', numbered: 'object_id, sequence' },
  webhook_attempts: { primaryKey: 'event_id, attempt' },
  audit_events: { primaryKey: 'platform_id, created_at, id' },
}

/**
 * The first partitions of a table: one for everything up to the end of the next month, including rows moved
 * here from another database, and one for sandbox clocks that are ahead. `months.ts` adds the later months.
 */
export function buildFirstParts(table: MonthlyTable): string {
  return `
DO $first$
DECLARE
  until_ms bigint := 1000 * extract(epoch FROM
    (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '2 months') AT TIME ZONE 'UTC');
BEGIN
  EXECUTE format('CREATE TABLE ${table}_first PARTITION OF ${table} FOR VALUES FROM (MINVALUE) TO (%L)',
    rpad(lpad(to_hex(until_ms), 12, '0'), 32, '0')::uuid);
END $first$;
CREATE TABLE ${table}_other PARTITION OF ${table} DEFAULT;
${buildUniqueIndex(table, `${table}_first`)}
${buildUniqueIndex(table, `${table}_other`)}`
}

/** The additional unique index that each partition has. */
export function buildUniqueIndex(table: MonthlyTable, part: string): string {
  const { numbered } = MONTHLY[table]
  return numbered ? `CREATE UNIQUE INDEX ${part}_numbers ON ${part} (${numbered});` : ''
}
