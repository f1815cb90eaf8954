/** The primary key of a record that events show: a 16-byte digest of its JSON. */
export const recordDigest = `
CREATE OR REPLACE FUNCTION record_digest(record text) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT substr(sha256(convert_to(record, 'UTF8')), 1, 16)
$$;
`
