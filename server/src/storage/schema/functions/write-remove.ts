/** Removes exactly one row. Guard: it exists. */
export const writeRemove = `
CREATE OR REPLACE FUNCTION write_remove(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE removed integer;
BEGIN
  EXECUTE format('DELETE FROM %I WHERE id = $1', w->>'table') USING (w->>'id')::uuid;
  GET DIAGNOSTICS removed = ROW_COUNT;
  IF removed <> 1 THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = w->>'table';
  END IF;
END $$;
`
