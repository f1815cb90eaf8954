/**
 * Stores an answer under its idempotency key. Guard: the key is not in use; an expired key is free again. Each call also
 * removes up to two expired keys of the same platform, so that the table does not grow without end.
 */
export const writeKeep = `
CREATE OR REPLACE FUNCTION write_keep(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE kept integer;
BEGIN
  INSERT INTO idempotency_keys AS k SELECT * FROM jsonb_populate_record(NULL::idempotency_keys, w->'row')
    ON CONFLICT (scope, key) DO UPDATE SET request_hash = excluded.request_hash, status = excluded.status,
      body = excluded.body, created_at = excluded.created_at, expires_at = excluded.expires_at
    WHERE k.expires_at <= excluded.created_at;
  GET DIAGNOSTICS kept = ROW_COUNT;
  IF kept <> 1 THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = 'idempotency_keys_pkey';
  END IF;
  DELETE FROM idempotency_keys WHERE (scope, key) IN (
    SELECT scope, key FROM idempotency_keys
    WHERE platform_id = (w->'row'->>'platform_id')::uuid AND expires_at <= (w->'row'->>'created_at')::timestamptz
    ORDER BY expires_at LIMIT 2 FOR UPDATE SKIP LOCKED);
END $$;
`
