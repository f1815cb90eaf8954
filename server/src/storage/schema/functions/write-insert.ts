/** Inserts rows of one table with the same columns. Their guards are the table's unique constraints. */
export const writeInsert = `
CREATE OR REPLACE FUNCTION write_insert(part jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('INSERT INTO %1$I (%2$s) SELECT %2$s FROM jsonb_populate_recordset(NULL::%1$I, $1)', part->>'table',
    (SELECT string_agg(quote_ident(k), ', ') FROM jsonb_object_keys(part->'rows'->0) AS k)) USING part->'rows';
END $$;
`
