/** Inserts one row. Its guards are the unique constraints of the table. */
export const writeInsert = `
CREATE OR REPLACE FUNCTION write_insert(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('INSERT INTO %1$I (%2$s) SELECT %2$s FROM jsonb_populate_record(NULL::%1$I, $1)', w->>'table',
    (SELECT string_agg(quote_ident(k), ', ') FROM jsonb_object_keys(w->'row') AS k)) USING w->'row';
END $$;
`
