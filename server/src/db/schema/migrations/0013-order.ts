/** What an order of writes, or of times, had to be made right. */
export const order = `
-- commit_together writes the rows of transactions after those of other tables: that an action has one is seen at the end.
ALTER TABLE agent_actions ALTER CONSTRAINT agent_actions_transaction_id_fkey DEFERRABLE INITIALLY DEFERRED;

-- The platform's successor is in real time again, and with it the ends of secrets: one that has ended stays so.
CREATE OR REPLACE FUNCTION platform_succeeded() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE api_tokens SET platform_id = NEW.successor_id WHERE platform_id = NEW.id;
  UPDATE webhook_secrets SET platform_id = NEW.successor_id,
    expires_at = expires_at - NEW.clock_offset_ms * interval '1 millisecond' WHERE platform_id = NEW.id;
  -- A passkey is registered once on the whole server: those of before are free again.
  UPDATE credentials SET revoked_at = NEW.closed_at, updated_at = NEW.closed_at
    WHERE platform_id = NEW.id AND type = 'PASSKEY' AND revoked_at IS NULL;
  RETURN NULL;
END $$;
`
