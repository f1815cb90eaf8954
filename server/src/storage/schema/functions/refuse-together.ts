/**
 * Makes a call of `commit_together` fail, because the guards of the writes at `places` that are not in `done`
 * have failed. The detail is JSON, because Citus passes on no other field.
 */
export const refuseTogether = `
CREATE OR REPLACE FUNCTION refuse_together(guard text, places integer[], done integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a guard failed: %', guard USING ERRCODE = 'CS002', DETAIL = jsonb_build_object('guard', guard, 'writes', (
    SELECT coalesce(jsonb_agg(place), '[]') FROM unnest(places) AS place WHERE NOT place = ANY (coalesce(done, '{}'))));
END $$;
`
