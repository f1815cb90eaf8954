/**
 * `jsonb_populate_record`, declared immutable. PostgreSQL calls it stable, because its result may depend on
 * session settings, but ours are the same in all sessions (`engine/session.ts`). Citus rejects stable
 * functions of columns in an UPDATE.
 */
export const rowOf = `
CREATE OR REPLACE FUNCTION row_of(base anyelement, given jsonb) RETURNS anyelement LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN jsonb_populate_record(base, given);
END $$;
`
