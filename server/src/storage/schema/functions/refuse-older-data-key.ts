/**
 * Refuses values that are sealed with an older data key. Covers writes without the guard of the write set.
 */
export const refuseOlderDataKey = `
CREATE OR REPLACE FUNCTION refuse_older_data_key() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE sealed bytea;
BEGIN
  IF TG_TABLE_NAME = 'internal_accounts' THEN sealed := NEW.sealed_seed;
  ELSIF TG_TABLE_NAME = 'delegated_keys' THEN sealed := NEW.sealed_key;
  ELSIF TG_TABLE_NAME = 'messages' THEN sealed := NEW.sealed_content;
  ELSIF TG_TABLE_NAME = 'beneficial_owners' THEN sealed := NEW.sealed_identifier;
  ELSIF TG_TABLE_NAME = 'documents' THEN sealed := NEW.sealed_number;
  ELSIF TG_TABLE_NAME = 'stored_files' THEN sealed := NEW.sealed_key;
  ELSIF TG_TABLE_NAME = 'stablecoin_accounts' THEN sealed := NEW.sealed_credentials;
  ELSE sealed := NEW.sealed_target_key;
  END IF;
  PERFORM refuse_older_generation(sealed_generation(sealed));
  RETURN NEW;
END $$;

CREATE TRIGGER internal_accounts_data_key BEFORE INSERT OR UPDATE OF sealed_seed ON internal_accounts
  FOR EACH ROW WHEN (NEW.sealed_seed IS NOT NULL) EXECUTE FUNCTION refuse_older_data_key();

CREATE TRIGGER delegated_keys_data_key BEFORE INSERT OR UPDATE OF sealed_key ON delegated_keys
  FOR EACH ROW EXECUTE FUNCTION refuse_older_data_key();

CREATE TRIGGER messages_data_key BEFORE INSERT OR UPDATE OF sealed_content ON messages
  FOR EACH ROW WHEN (NEW.sealed_content IS NOT NULL) EXECUTE FUNCTION refuse_older_data_key();

CREATE TRIGGER beneficial_owners_data_key BEFORE INSERT OR UPDATE OF sealed_identifier ON beneficial_owners
  FOR EACH ROW EXECUTE FUNCTION refuse_older_data_key();
CREATE TRIGGER documents_data_key BEFORE INSERT OR UPDATE OF sealed_number ON documents
  FOR EACH ROW WHEN (NEW.sealed_number IS NOT NULL) EXECUTE FUNCTION refuse_older_data_key();

CREATE TRIGGER stored_files_data_key BEFORE INSERT OR UPDATE OF sealed_key ON stored_files
  FOR EACH ROW WHEN (NEW.sealed_key IS NOT NULL) EXECUTE FUNCTION refuse_older_data_key();
CREATE TRIGGER stablecoin_accounts_data_key BEFORE INSERT OR UPDATE OF sealed_credentials ON stablecoin_accounts
  FOR EACH ROW EXECUTE FUNCTION refuse_older_data_key();

CREATE TRIGGER otp_challenges_data_key BEFORE INSERT ON otp_challenges
  FOR EACH ROW EXECUTE FUNCTION refuse_older_data_key();
`
