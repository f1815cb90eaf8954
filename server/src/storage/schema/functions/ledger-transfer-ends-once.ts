/**
 * Refuses any change of a transfer but its one step, from pending to posted or voided, and any removal. It runs after the
 * change: a trigger before it would lock each row first.
 */
export const ledgerTransferEndsOnce = `
CREATE OR REPLACE FUNCTION ledger_transfer_ends_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a transfer of the ledger ends once, and is never changed or removed' USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER ledger_transfer_ends_once AFTER UPDATE ON ledger_transfers FOR EACH ROW
  WHEN (OLD.state <> 'pending' OR NEW.state = 'pending'
    OR (OLD.id, OLD.platform_id, OLD.debit_account_id, OLD.credit_account_id, OLD.currency, OLD.amount, OLD.cause,
        OLD.cause_id, OLD.created_at)
      IS DISTINCT FROM (NEW.id, NEW.platform_id, NEW.debit_account_id, NEW.credit_account_id, NEW.currency, NEW.amount,
        NEW.cause, NEW.cause_id, NEW.created_at))
  EXECUTE FUNCTION ledger_transfer_ends_once();

CREATE TRIGGER ledger_transfer_stays BEFORE DELETE OR TRUNCATE ON ledger_transfers
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_transfer_ends_once();
`
