import { keysOf } from '@countersign/contract/core/objects'
import { FIRST, MONTHLY, type MonthlyTable, OTHER } from './monthly.ts'

/**
 * Tables of what has happened are divided by month: what is old lies apart, and a month is detached and exported whole. All that a
 * table has at this moment is its first part. Decision 0064.
 */
export const months = `
LOCK TABLE ${Object.keys(MONTHLY).join(', ')} IN ACCESS EXCLUSIVE MODE;

-- Parts of tables that were detached, and the files that their rows are in.
CREATE TABLE archives (
  -- Of the part.
  name text PRIMARY KEY,
  of_table text NOT NULL,
  -- Before this id.
  until_id uuid NOT NULL,
  detached_at timestamptz NOT NULL,
  -- Once the rows are in a file and gone from here.
  file text,
  row_count bigint,
  -- Of the file.
  sha256 bytea,
  written_at timestamptz,
  CONSTRAINT archives_written CHECK (num_nulls(file, row_count, sha256, written_at) IN (0, 4))
);

-- Objects that have events in archives: an event that comes later has the next number.
CREATE TABLE archived_events (
  object_id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  last_sequence integer NOT NULL
);

-- The function that takes rows of events is made anew, for those of the new table.
DROP FUNCTION IF EXISTS commit_together;
DELETE FROM schema_functions WHERE name = 'commit_together';

-- Events are on the record before they are delivered; a month is detached from each of these tables by itself.
ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_id_fkey;
ALTER TABLE webhook_attempts DROP CONSTRAINT webhook_attempts_event_id_fkey;

-- The identity of a table that is divided would not be that of its parts.
CREATE SEQUENCE events_positions;
SELECT setval('events_positions', nextval(pg_get_serial_sequence('events', 'position')), false);
ALTER TABLE events ALTER COLUMN position DROP IDENTITY;
ALTER TABLE events ALTER COLUMN position SET DEFAULT nextval('events_positions');

-- What is removed by its age, and what refers to it.
CREATE INDEX used_id_tokens_expired ON used_id_tokens (expires_at);
CREATE INDEX messages_challenge ON messages (challenge_id);
CREATE INDEX quotes_signing_request ON quotes (signing_request_id) WHERE signing_request_id IS NOT NULL;

${keysOf(MONTHLY).map(divide).join('\n')}
${firstParts()}
`

/** Puts a table with no parts in the place of one. */
function divide(table: MonthlyTable): string {
  const { key, primaryKey, indexes, owner } = MONTHLY[table]
  return `
ALTER TABLE ${table} RENAME TO ${table}${FIRST};
ALTER INDEX ${table}_pkey RENAME TO ${table}${FIRST}_pkey;
${Object.keys(indexes)
  .map((name) => `ALTER INDEX ${name} RENAME TO ${name}${FIRST};`)
  .join('\n')}
CREATE TABLE ${table} (LIKE ${table}${FIRST} INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (${key});
ALTER TABLE ${table} ADD PRIMARY KEY (${primaryKey});
${owner ? `ALTER TABLE ${table} ADD FOREIGN KEY (${owner}) REFERENCES platforms;` : ''}
${Object.entries(indexes)
  .map(([name, columns]) => `CREATE INDEX ${name} ON ${table} ${columns};`)
  .join('\n')}`
}

/**
 * What is there goes up to the end of the next month, or of the month after that of the newest row: clocks of a sandbox may be ahead. What
 * comes from a clock that is ahead of all months goes to another part.
 */
function firstParts(): string {
  const tables = Object.entries(MONTHLY)
  const newest = tables.map(
    ([table, { key }]) => `(SELECT ${key} FROM ${table}${FIRST} ORDER BY ${key} DESC LIMIT 1)`,
  )
  return `
DO $first$
DECLARE
  newest uuid := (SELECT id FROM unnest(ARRAY[${newest.join(', ')}]) AS found (id) ORDER BY id DESC NULLS LAST LIMIT 1);
  newest_at timestamptz := greatest(now(),
    to_timestamp(('x' || left(replace(newest::text, '-', ''), 12))::bit(48)::bigint / 1000.0));
  until_ms bigint := extract(epoch FROM (date_trunc('month', newest_at AT TIME ZONE 'UTC') + interval '2 months') AT TIME ZONE 'UTC') * 1000;
  until_id uuid := rpad(lpad(to_hex(until_ms), 12, '0'), 32, '0')::uuid;
BEGIN
${tables
  .map(
    ([table, { numbered }]) => `
  EXECUTE format('ALTER TABLE ${table} ATTACH PARTITION ${table}${FIRST} FOR VALUES FROM (MINVALUE) TO (%L)', until_id);
  CREATE TABLE ${table}${OTHER} PARTITION OF ${table} DEFAULT;
  ${numbered ? `CREATE UNIQUE INDEX ${table}${OTHER}_numbers ON ${table}${OTHER} (${numbered});` : ''}`,
  )
  .join('')}
END $first$;`
}
