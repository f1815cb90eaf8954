/** Refuses a transfer whose entries do not sum to zero in each currency. */
export const ledgerEntriesBalance = `
CREATE OR REPLACE FUNCTION ledger_entries_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM added GROUP BY transfer_id, currency HAVING sum(amount) <> 0) THEN
    RAISE EXCEPTION 'the entries of a transfer must sum to zero per currency' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER ledger_entries_balance AFTER INSERT ON ledger_entries
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger_entries_balance();
`
