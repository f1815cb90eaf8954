/** Reads the generation of the data key from the first 4 bytes of a sealed value. */
export const sealedGeneration = `
CREATE OR REPLACE FUNCTION sealed_generation(sealed bytea) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT get_byte(sealed, 0)::bigint << 24 | get_byte(sealed, 1) << 16 | get_byte(sealed, 2) << 8 | get_byte(sealed, 3)
$$;
`
