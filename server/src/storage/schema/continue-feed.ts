import type { Database } from '../engine/port.ts'
import { getOnlyRow } from '../engine/port.ts'
import { buildSchemaLock } from './schema-lock.ts'

const FEED_LOCK = 7_202_510_135

/** The SQLSTATE of `refuse_moved_feed`: nothing was written. */
export const MOVED_FEED = 'CS008'

/**
 * `newest` is the highest number in the feed and in the endpoints' cursors. `oldest` is the lowest number
 * that an open transaction may have, and `next` the number of the next transaction, both without the base.
 * The newest event of each platform takes one step in the feed's index, while the newest of all would need a
 * full scan.
 */
const NUMBERS = `
  SELECT greatest(
      (SELECT max(newest.number) FROM platforms, LATERAL (
        SELECT committed_in::text::bigint AS number FROM events WHERE platform_id = platforms.id
        ORDER BY committed_in DESC, position DESC LIMIT 1) AS newest),
      (SELECT max(greatest(committed_in::text::bigint, begins_in::text::bigint, ends_in::text::bigint))
        FROM webhook_endpoints)) AS newest,
    pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest,
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next,
    (SELECT value FROM settings WHERE name = 'feed_node') IS DISTINCT FROM feed_node() AS is_moved`

/**
 * Counts from the oldest open transaction, so that none can get a lower number than a reader has already
 * seen.
 */
const RAISE = `
SELECT ${buildSchemaLock(FEED_LOCK)};
DO $feed$
DECLARE numbers record;
BEGIN
  SELECT * INTO numbers FROM (${NUMBERS}) AS n;
  IF numbers.newest >= (CASE WHEN numbers.is_moved THEN numbers.oldest ELSE numbers.next END) + feed_base() THEN
    EXECUTE format(
      'CREATE OR REPLACE FUNCTION feed_base() RETURNS bigint LANGUAGE sql STABLE AS ''SELECT %s::bigint''',
      numbers.newest + 1 - numbers.oldest);
  END IF;
END $feed$;`

/**
 * Runs in a transaction after the raise: once a commit sees this row, its session knows the new base. It
 * checks the numbers again, because the two statements may have reached different clusters. It reads the
 * number first: if the schema is on another node, only queries run there.
 */
const RECORD = `
SELECT ${buildSchemaLock(FEED_LOCK)};
DO $record$
DECLARE node text;
BEGIN
  SELECT feed_node() INTO node FROM (${NUMBERS}) AS n WHERE n.is_moved AND coalesce(n.newest < n.oldest + feed_base(), true);
  IF FOUND THEN
    INSERT INTO settings VALUES ('feed_node', node) ON CONFLICT (name) DO UPDATE SET value = excluded.value;
  END IF;
END $record$;`

/**
 * Continues the feed after its newest event if the database was moved to another cluster, or if the cluster's
 * transaction numbers are lower than those in the feed. Otherwise old events would look like events of open
 * transactions, and new events older than they are. Runs at startup, while the server runs, and when a commit
 * is rejected with MOVED_FEED. Returns true if the numbers had to be raised.
 */
export async function continueFeed(db: Database): Promise<boolean> {
  const { is_behind, is_moved } = await compareNumbers(db)
  if (!is_behind && !is_moved) return false
  // Concurrent processes take turns.
  await db.script(RAISE)
  if (is_moved) await db.script(RECORD)
  return is_behind
}

async function compareNumbers(
  db: Database,
): Promise<{ readonly is_behind: boolean; readonly is_moved: boolean }> {
  const { rows } = await db.query<{ is_behind: boolean; is_moved: boolean }>(
    `SELECT coalesce(newest >= next + feed_base(), false) AS is_behind, is_moved FROM (${NUMBERS}) AS n`,
  )
  return getOnlyRow(rows)
}
