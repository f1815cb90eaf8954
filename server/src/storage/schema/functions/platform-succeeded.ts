/**
 * Moves records that survive a sandbox reset to the new platform, in the statement that closes the old one,
 * so that a record created concurrently is not left behind. Decision 0022.
 */
export const platformSucceeded = `
CREATE OR REPLACE FUNCTION platform_succeeded() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE secret record; digest record;
BEGIN
  UPDATE api_tokens SET platform_id = NEW.successor_id WHERE platform_id = NEW.id;
  -- The new platform is in real time again: a secret that has expired stays expired.
  FOR secret IN
    SELECT id, expires_at - NEW.clock_offset_ms * interval '1 millisecond' AS ends FROM webhook_secrets WHERE platform_id = NEW.id
  LOOP
    UPDATE webhook_secrets SET platform_id = NEW.successor_id, expires_at = secret.ends WHERE id = secret.id;
  END LOOP;
  -- Its events are new ones, and their numbers are higher.
  UPDATE webhook_endpoints SET platform_id = NEW.successor_id, claimed_by = NULL, claimed_until = NULL,
    failures = 0, failing_since = NULL, retry_at = NULL, last_delivered_at = NULL,
    deleted_at = CASE WHEN role = 'REPLAY' THEN coalesce(deleted_at, NEW.closed_at) ELSE deleted_at END
    WHERE platform_id = NEW.id;
  DELETE FROM undelivered_events WHERE platform_id = NEW.id;
  -- Digests of members continue, in real time again.
  FOR digest IN
    SELECT id, due_at - NEW.clock_offset_ms * interval '1 millisecond' AS due FROM jobs
    WHERE platform_id = NEW.id AND kind = 'member.digest'
  LOOP
    UPDATE jobs SET platform_id = NEW.successor_id, due_at = digest.due WHERE id = digest.id;
  END LOOP;
  UPDATE member_roles SET platform_id = NEW.successor_id WHERE platform_id = NEW.id;
  UPDATE members SET platform_id = NEW.successor_id WHERE platform_id = NEW.id;
  UPDATE member_links SET platform_id = NEW.successor_id WHERE platform_id = NEW.id;
  UPDATE member_passkeys SET platform_id = NEW.successor_id WHERE platform_id = NEW.id;
  UPDATE member_sessions SET platform_id = NEW.successor_id WHERE platform_id = NEW.id;
  -- A customer's passkey is registered once on the whole server: revoked here, it can be registered again.
  UPDATE credentials SET revoked_at = NEW.closed_at, updated_at = NEW.closed_at
    WHERE platform_id = NEW.id AND type = 'PASSKEY' AND revoked_at IS NULL;
  RETURN NULL;
END $$;

CREATE TRIGGER platform_succeeded AFTER UPDATE OF successor_id ON platforms FOR EACH ROW
  WHEN (OLD.successor_id IS NULL AND NEW.successor_id IS NOT NULL) EXECUTE FUNCTION platform_succeeded();
`
