/**
 * Rejects every change to a transfer except its removal and the single step from pending to posted or voided.
 * It runs after the change, because a trigger before it would lock each row first.
 */
export const ledgerTransferEndsOnce = `
CREATE OR REPLACE FUNCTION ledger_transfer_ends_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a transfer of the ledger ends once, and is never changed or removed' USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER ledger_transfer_ends_once AFTER UPDATE ON ledger_transfers FOR EACH ROW
  WHEN (OLD.state <> 'pending' OR NEW.state = 'pending') EXECUTE FUNCTION ledger_transfer_ends_once();

-- Comparing all columns of each row that ends would cost more than ending it.
CREATE TRIGGER ledger_transfer_only_ends
  AFTER UPDATE OF id, platform_id, debit_account_id, credit_account_id, currency, amount, cause, cause_id, created_at
  ON ledger_transfers FOR EACH ROW EXECUTE FUNCTION ledger_transfer_ends_once();

CREATE TRIGGER ledger_transfer_stays BEFORE DELETE OR TRUNCATE ON ledger_transfers
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_transfer_ends_once();
`
