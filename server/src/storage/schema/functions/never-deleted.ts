/** Refuses to delete rows that others refer to without a foreign key (decision 0017). */
export const neverDeleted = `
CREATE OR REPLACE FUNCTION never_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are never deleted', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER platforms_never_deleted BEFORE DELETE OR TRUNCATE ON platforms
  FOR EACH STATEMENT EXECUTE FUNCTION never_deleted();

CREATE TRIGGER customers_never_deleted BEFORE DELETE OR TRUNCATE ON customers
  FOR EACH STATEMENT EXECUTE FUNCTION never_deleted();

CREATE TRIGGER ledger_accounts_never_deleted BEFORE DELETE OR TRUNCATE ON ledger_accounts
  FOR EACH STATEMENT EXECUTE FUNCTION never_deleted();

CREATE TRIGGER verifications_never_deleted BEFORE DELETE OR TRUNCATE ON verifications
  FOR EACH STATEMENT EXECUTE FUNCTION never_deleted();

CREATE TRIGGER document_reads_never_deleted BEFORE DELETE OR TRUNCATE ON document_reads
  FOR EACH STATEMENT EXECUTE FUNCTION never_deleted();
`
