import type { Database } from '../engine/port.ts'
import { onlyRow } from '../engine/port.ts'

/** A random number that nothing else on the database server locks. */
const FEED_LOCK = 7_202_510_133

/**
 * The newest number in the feed, and the one that the next transaction has. Each platform's newest event is one step in the
 * index of the feed, where the newest of all would read all of it.
 */
const NUMBERS = `
  SELECT max(newest.committed_in)::text::bigint AS newest,
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next
  FROM platforms, LATERAL (
    SELECT committed_in FROM events WHERE platform_id = platforms.id
    ORDER BY committed_in DESC, position DESC LIMIT 1) AS newest`

/**
 * Lets the feed go on behind its newest event where the transactions of the cluster have lower numbers: the database was
 * restored from a logical backup into another cluster. Otherwise the events of before would be taken for those of transactions
 * that are still open, and new ones for older than they. Must be called before anything is written. Answers whether it was so.
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
