/**
 * Stores a response under its idempotency key. Guard: the key is not in use; an expired key is free again.
 */
export const writeKeep = `
CREATE OR REPLACE FUNCTION write_keep(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE kept integer; given idempotency_keys := jsonb_populate_record(NULL::idempotency_keys, w->'row');
BEGIN
  given.digest := key_digest(given.scope, given.key);
  INSERT INTO idempotency_keys AS k VALUES (given.*)
    ON CONFLICT (digest) DO UPDATE SET request_hash = excluded.request_hash, status = excluded.status,
      body = excluded.body, created_at = excluded.created_at, expires_at = excluded.expires_at
    WHERE k.expires_at <= excluded.created_at AND k.scope = excluded.scope AND k.key = excluded.key;
  GET DIAGNOSTICS kept = ROW_COUNT;
  IF kept <> 1 THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = 'idempotency_keys_pkey';
  END IF;
END $$;
`
