/**
 * Data keys of several generations, one per rotation of the master key (enclave/data-keys.ts). Whatever is sealed begins with
 * the generation of its key, in 4 bytes; a process that has not been told of the newest key can seal nothing any more.
 */
export const dataKeys = `
CREATE TABLE data_keys (
  generation integer PRIMARY KEY CHECK (generation > 0),
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL,
  resealed_at timestamptz
);

INSERT INTO data_keys (generation, sealed, created_at)
  SELECT 1, sealed, created_at FROM enclave_secrets WHERE name = 'data_key';
DELETE FROM enclave_secrets WHERE name = 'data_key';
UPDATE enclave_secrets SET sealed = '\\x00000001'::bytea || sealed;
UPDATE internal_accounts SET sealed_seed = '\\x00000001'::bytea || sealed_seed;
UPDATE delegated_keys SET sealed_key = '\\x00000001'::bytea || sealed_key;
UPDATE messages SET sealed_content = '\\x00000001'::bytea || sealed_content;
UPDATE otp_challenges SET sealed_target_key = '\\x00000001'::bytea || sealed_target_key;

CREATE FUNCTION sealed_generation(sealed bytea) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT get_byte(sealed, 0)::bigint << 24 | get_byte(sealed, 1) << 16 | get_byte(sealed, 2) << 8 | get_byte(sealed, 3)
$$;

CREATE FUNCTION refuse_older_data_key() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE sealed bytea;
BEGIN
  IF TG_TABLE_NAME = 'internal_accounts' THEN sealed := NEW.sealed_seed;
  ELSIF TG_TABLE_NAME = 'delegated_keys' THEN sealed := NEW.sealed_key;
  ELSIF TG_TABLE_NAME = 'messages' THEN sealed := NEW.sealed_content;
  ELSE sealed := NEW.sealed_target_key;
  END IF;
  IF sealed_generation(sealed) < (SELECT max(generation) FROM data_keys) THEN
    RAISE EXCEPTION 'sealed under an older data key' USING ERRCODE = 'CS003';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER internal_accounts_data_key BEFORE INSERT OR UPDATE OF sealed_seed ON internal_accounts
  FOR EACH ROW WHEN (NEW.sealed_seed IS NOT NULL) EXECUTE FUNCTION refuse_older_data_key();
CREATE TRIGGER delegated_keys_data_key BEFORE INSERT OR UPDATE OF sealed_key ON delegated_keys
  FOR EACH ROW EXECUTE FUNCTION refuse_older_data_key();
CREATE TRIGGER messages_data_key BEFORE INSERT OR UPDATE OF sealed_content ON messages
  FOR EACH ROW WHEN (NEW.sealed_content IS NOT NULL) EXECUTE FUNCTION refuse_older_data_key();
CREATE TRIGGER otp_challenges_data_key BEFORE INSERT ON otp_challenges
  FOR EACH ROW EXECUTE FUNCTION refuse_older_data_key();

-- A secret derives from the data key of its time: it stays what it is, and the next one is of the newest key.
ALTER TABLE webhook_secrets ADD COLUMN key_generation integer NOT NULL DEFAULT 1;
ALTER TABLE webhook_secrets ALTER COLUMN key_generation DROP DEFAULT;
`
