/**
 * Records a transfer that ends more than a day after its creation, so that historical balances include it
 * (`books/balances.ts`). The condition is checked for every transfer that ends, and is rarely true.
 */
export const ledgerEndedLate = `
CREATE OR REPLACE FUNCTION ledger_ended_late() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger_late_ends (id, platform_id, debit_account_id, credit_account_id, ended_at)
    VALUES (NEW.id, NEW.platform_id, NEW.debit_account_id, NEW.credit_account_id, NEW.ended_at);
  RETURN NULL;
END $$;

CREATE TRIGGER ledger_ended_late AFTER UPDATE ON ledger_transfers FOR EACH ROW
  WHEN (OLD.ended_at IS NULL AND NEW.ended_at > OLD.created_at + interval '24 hours')
  EXECUTE FUNCTION ledger_ended_late();
`
