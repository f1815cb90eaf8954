/**
 * Fails a call of `commit_together`: the guards of the writes at `places` that are not in `done` have failed.
 */
export const refuseTogether = `
CREATE OR REPLACE FUNCTION refuse_together(places integer[], done integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a guard failed' USING ERRCODE = 'CS002', DETAIL = (
    SELECT coalesce(jsonb_agg(place), '[]') FROM unnest(places) AS place WHERE NOT place = ANY (coalesce(done, '{}')));
END $$;
`
