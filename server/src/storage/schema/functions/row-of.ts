/**
 * `jsonb_populate_record`, which PostgreSQL calls stable: its result may depend on settings of the session, and ours are the
 * same in all (`engine/session.ts`). Citus refuses stable functions of columns in an UPDATE.
 */
export const rowOf = `
CREATE OR REPLACE FUNCTION row_of(base anyelement, given jsonb) RETURNS anyelement LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN jsonb_populate_record(base, given);
END $$;
`
