/** Rejects values sealed or derived with an older data key than the newest. Accepts null. */
export const refuseOlderGeneration = `
CREATE OR REPLACE FUNCTION refuse_older_generation(sealed_under bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF sealed_under < (SELECT max(generation) FROM data_keys) THEN
    RAISE EXCEPTION 'sealed under an older data key' USING ERRCODE = 'CS003';
  END IF;
END $$;
`
