/**
 * Rejects commits with CS008 after the database was moved to another cluster, until continueFeed has raised
 * the numbers of the feed. The settings row moves with the data; a database without it is new. Rejects
 * commits with CS010 if they do not run on the node of their schema, because their events would get the
 * numbers of another cluster (decision 0092).
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
