/** Changes exactly one row. Guard: the row exists and matches. */
export const writeUpdate = `
CREATE OR REPLACE FUNCTION write_update(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE changed integer;
BEGIN
  EXECUTE format('UPDATE %1$I AS t SET (%2$s) = (SELECT %2$s FROM jsonb_populate_record(NULL::%1$I, $1)) '
    'FROM jsonb_populate_record(NULL::%1$I, $2) AS e WHERE t.id = $3 AND %3$s', w->>'table',
    (SELECT string_agg(quote_ident(k), ', ') FROM jsonb_object_keys(w->'set') AS k),
    coalesce((SELECT string_agg(format('t.%1$I IS NOT DISTINCT FROM e.%1$I', k), ' AND ')
      FROM jsonb_object_keys(w->'expect') AS k), 'true')) USING w->'set', w->'expect', (w->>'id')::uuid;
  GET DIAGNOSTICS changed = ROW_COUNT;
  IF changed <> 1 THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = w->>'table';
  END IF;
END $$;
`
