/**
 * Rejects values sealed with an older data key, including writes that bypass the write set's guard. The trigger
 * argument names the sealed column, because on Citus TG_TABLE_NAME is the shard's name, not the table's.
 */
export const refuseOlderDataKey = `
CREATE OR REPLACE FUNCTION refuse_older_data_key() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE sealed bytea;
BEGIN
  CASE TG_ARGV[0]
    WHEN 'sealed_seed' THEN sealed := NEW.sealed_seed;
    WHEN 'sealed_key' THEN sealed := NEW.sealed_key;
    WHEN 'sealed_content' THEN sealed := NEW.sealed_content;
    WHEN 'sealed_identifier' THEN sealed := NEW.sealed_identifier;
    WHEN 'sealed_number' THEN sealed := NEW.sealed_number;
    WHEN 'sealed_credentials' THEN sealed := NEW.sealed_credentials;
    WHEN 'sealed_target_key' THEN sealed := NEW.sealed_target_key;
  END CASE;
  PERFORM refuse_older_generation(sealed_generation(sealed));
  RETURN NEW;
END $$;

CREATE TRIGGER internal_accounts_data_key BEFORE INSERT OR UPDATE OF sealed_seed ON internal_accounts
  FOR EACH ROW WHEN (NEW.sealed_seed IS NOT NULL) EXECUTE FUNCTION refuse_older_data_key('sealed_seed');

CREATE TRIGGER delegated_keys_data_key BEFORE INSERT OR UPDATE OF sealed_key ON delegated_keys
  FOR EACH ROW EXECUTE FUNCTION refuse_older_data_key('sealed_key');

CREATE TRIGGER messages_data_key BEFORE INSERT OR UPDATE OF sealed_content ON messages
  FOR EACH ROW WHEN (NEW.sealed_content IS NOT NULL) EXECUTE FUNCTION refuse_older_data_key('sealed_content');

CREATE TRIGGER beneficial_owners_data_key BEFORE INSERT OR UPDATE OF sealed_identifier ON beneficial_owners
  FOR EACH ROW EXECUTE FUNCTION refuse_older_data_key('sealed_identifier');
CREATE TRIGGER documents_data_key BEFORE INSERT OR UPDATE OF sealed_number ON documents
  FOR EACH ROW WHEN (NEW.sealed_number IS NOT NULL) EXECUTE FUNCTION refuse_older_data_key('sealed_number');

CREATE TRIGGER stored_files_data_key BEFORE INSERT OR UPDATE OF sealed_key ON stored_files
  FOR EACH ROW WHEN (NEW.sealed_key IS NOT NULL) EXECUTE FUNCTION refuse_older_data_key('sealed_key');
CREATE TRIGGER stablecoin_accounts_data_key BEFORE INSERT OR UPDATE OF sealed_credentials ON stablecoin_accounts
  FOR EACH ROW EXECUTE FUNCTION refuse_older_data_key('sealed_credentials');

CREATE TRIGGER otp_challenges_data_key BEFORE INSERT ON otp_challenges
  FOR EACH ROW EXECUTE FUNCTION refuse_older_data_key('sealed_target_key');
`
