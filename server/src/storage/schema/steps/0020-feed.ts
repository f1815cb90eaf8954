/**
 * The numbers of the feed are those of transactions plus a base. Transactions begin again where the database is restored into
 * another cluster: `continueFeed` then raises the base. It is a function, because a condition with one is planned as if its value
 * were written out. Decision 0056.
 */
export const feed = `
CREATE FUNCTION feed_base() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT 0::bigint';
ALTER TABLE events ALTER COLUMN committed_in
  SET DEFAULT (pg_current_xact_id()::text::bigint + feed_base())::text::xid8;
`
