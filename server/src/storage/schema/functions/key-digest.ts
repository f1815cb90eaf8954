/**
 * The primary key of an idempotency key: a 16-byte digest of scope and key. Readers also compare both values.
 */
export const keyDigest = `
CREATE OR REPLACE FUNCTION key_digest(scope text, key text) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT substr(sha256(convert_to(scope || E'\\n' || key, 'UTF8')), 1, 16)
$$;
`
