/** Checks and locks one row, so that it stays as expected until the commit. */
export const writeExpect = `
CREATE OR REPLACE FUNCTION write_expect(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE found_one boolean;
BEGIN
  EXECUTE format('SELECT true FROM %1$I AS t, jsonb_populate_record(NULL::%1$I, $1) AS e WHERE t.id = $2 AND %2$s '
    'FOR SHARE OF t', w->>'table',
    (SELECT string_agg(format('t.%1$I IS NOT DISTINCT FROM e.%1$I', k), ' AND ') FROM jsonb_object_keys(w->'expect') AS k))
    INTO found_one USING w->'expect', (w->>'id')::uuid;
  IF found_one IS NULL THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = w->>'table';
  END IF;
END $$;
`
