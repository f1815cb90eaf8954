/** A platform of the sandbox can be emptied; crypto currencies have accounts as well. */
export const sandbox = `
-- A platform that was reset: nobody reaches it any more, and its due work is left undone.
ALTER TABLE platforms ADD COLUMN closed_at timestamptz;
ALTER TABLE platforms ADD COLUMN successor_id text REFERENCES platforms;
ALTER TABLE platforms ADD CONSTRAINT platforms_closed CHECK ((closed_at IS NULL) = (successor_id IS NULL));
CREATE INDEX platforms_open ON platforms (id) WHERE closed_at IS NULL;

-- What stays moves in the statement that closes the platform, so that nothing that is made in parallel stays behind.
CREATE FUNCTION platform_succeeded() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE api_tokens SET platform_id = NEW.successor_id WHERE platform_id = NEW.id;
  UPDATE webhook_secrets SET platform_id = NEW.successor_id WHERE platform_id = NEW.id;
  -- A passkey is registered once on the whole server: those of before are free again.
  UPDATE credentials SET revoked_at = NEW.closed_at, updated_at = NEW.closed_at
    WHERE platform_id = NEW.id AND type = 'PASSKEY' AND revoked_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER platform_succeeded AFTER UPDATE OF successor_id ON platforms FOR EACH ROW
  WHEN (OLD.successor_id IS NULL AND NEW.successor_id IS NOT NULL) EXECUTE FUNCTION platform_succeeded();

-- Platforms that have had a crypto currency since before there were accounts in it.
INSERT INTO jobs (id, platform_id, kind, payload, due_at, attempts, created_at)
  SELECT 'Job:' || gen_random_uuid(), p.id, 'accounts.backfill', '{}', p.created_at, 0, p.created_at FROM platforms p
  WHERE EXISTS (SELECT 1 FROM jsonb_array_elements(p.config->'supportedCurrencies') AS c
    WHERE c->>'currencyCode' IN ('BTC', 'USDC', 'USDT'));
`
