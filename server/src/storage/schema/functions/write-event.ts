/**
 * Appends an event, numbered within its object. Ledger accounts number their own events and add their
 * balances at this point of the transaction, which the operation cannot know.
 */
export const writeEvent = `
CREATE OR REPLACE FUNCTION write_event(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE account ledger_accounts;
BEGIN
  IF w->'ofAccount' IS NOT NULL THEN
    UPDATE ledger_accounts SET event_count = event_count + 1 WHERE id = (w->>'objectId')::uuid RETURNING * INTO account;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'an event names an account that is not open' USING ERRCODE = 'foreign_key_violation';
    END IF;
    INSERT INTO event_records (digest, platform_id, text)
      VALUES (record_digest(w->>'data'), (w->>'platformId')::uuid, w->>'data') ON CONFLICT (digest) DO NOTHING;
  END IF;
  INSERT INTO events (id, platform_id, type, object_id, sequence, data, record, available, posted, traceparent, created_at)
    VALUES ((w->>'id')::uuid, (w->>'platformId')::uuid, w->>'type', (w->>'objectId')::uuid,
      coalesce(account.event_count, last_sequence((w->>'objectId')::uuid, (w->>'id')::uuid) + 1),
      CASE WHEN account.id IS NULL THEN w->>'data' END, CASE WHEN account.id IS NOT NULL THEN record_digest(w->>'data') END,
      account.posted - account.held, account.posted, w->>'traceparent', (w->>'at')::timestamptz);
END $$;
`
