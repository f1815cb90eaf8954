import type { Database } from '../engine/port.ts'
import { onlyRow } from '../engine/port.ts'

/** A random number that nothing else on the database server locks. */
const FEED_LOCK = 7_202_510_133

/**
 * The newest number in the feed, and the number of the next transaction. Each platform's newest event is one
 * step in the feed's index; the newest of all would need a full scan.
 */
const NUMBERS = `
  SELECT max(newest.committed_in)::text::bigint AS newest,
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next
  FROM platforms, LATERAL (
    SELECT committed_in FROM events WHERE platform_id = platforms.id
    ORDER BY committed_in DESC, position DESC LIMIT 1) AS newest`

/**
 * Continues the feed after its newest event if the database was restored from a logical backup into a cluster
 * with lower transaction numbers: otherwise old events would look like events of open transactions, and new
 * ones older than they are. Must run before anything is written. Returns true if the feed had to be
 * continued.
 */
export async function continueFeed(db: Database): Promise<boolean> {
  if (!(await isBehind(db))) return false
  // Processes that start together take turns.
  await db.script(`
SELECT pg_advisory_xact_lock(${FEED_LOCK});
DO $feed$
DECLARE numbers record;
BEGIN
  SELECT * INTO numbers FROM (${NUMBERS}) AS n;
  IF numbers.newest >= numbers.next + feed_base() THEN
    EXECUTE format(
      'CREATE OR REPLACE FUNCTION feed_base() RETURNS bigint LANGUAGE sql STABLE AS ''SELECT %s::bigint''',
      numbers.newest + 1 - numbers.next);
  END IF;
END $feed$;`)
  return true
}

async function isBehind(db: Database): Promise<boolean> {
  const { rows } = await db.query<{ is_behind: boolean }>(
    `SELECT coalesce(newest >= next + feed_base(), false) AS is_behind FROM (${NUMBERS}) AS n`,
  )
  return onlyRow(rows).is_behind
}
