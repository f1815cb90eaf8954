/**
 * Refuses a commit with CS008 after the database has moved to another cluster, until continueFeed has raised the
 * numbers of the feed there: an event with a lower number than earlier ones would be skipped by readers. A database
 * without a recorded cluster is new. The row of settings moves with the data, also by logical replication.
 */
export const refuseMovedFeed = `
CREATE OR REPLACE FUNCTION refuse_moved_feed() RETURNS void LANGUAGE plpgsql AS $$
DECLARE recorded text := (SELECT value FROM settings WHERE name = 'feed_node');
BEGIN
  IF recorded IS NULL THEN
    INSERT INTO settings VALUES ('feed_node', feed_node()) ON CONFLICT DO NOTHING;
  ELSIF recorded <> feed_node() THEN
    RAISE EXCEPTION 'the database has moved to another cluster' USING ERRCODE = 'CS008';
  END IF;
END $$;
`
