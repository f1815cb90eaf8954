/**
 * Refuses a commit with CS008 after the database has moved to another cluster, until continueFeed has raised the
 * numbers of the feed there: an event with a lower number than earlier ones would be skipped by readers. A database
 * without a recorded cluster is new. The row of settings moves with the data, also by logical replication.
 *
 * On Citus the row is read on the node that holds the schema. A commit that runs elsewhere is refused with CS010: its events would get the
 * numbers of another cluster.
 */
export const refuseMovedFeed = `
CREATE OR REPLACE FUNCTION refuse_moved_feed() RETURNS void LANGUAGE plpgsql AS $$
DECLARE recorded text; process integer;
BEGIN
  SELECT value, pg_backend_pid() INTO recorded, process FROM settings WHERE name = 'feed_node';
  IF process <> pg_backend_pid() THEN
    RAISE EXCEPTION 'the commit runs on another node than its schema' USING ERRCODE = 'CS010';
  END IF;
  IF recorded IS NULL THEN
    INSERT INTO settings VALUES ('feed_node', feed_node()) ON CONFLICT DO NOTHING;
  ELSIF recorded <> feed_node() THEN
    RAISE EXCEPTION 'the database has moved to another cluster' USING ERRCODE = 'CS008';
  END IF;
END $$;
`
