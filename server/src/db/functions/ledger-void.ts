/** Releases the rest of a pending hold to its account. */
export const ledgerVoid = `
CREATE OR REPLACE FUNCTION ledger_void(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE hold ledger_holds;
BEGIN
  UPDATE ledger_holds SET state = 'voided', updated_at = (w->>'at')::timestamptz
    WHERE id = (w->>'hold')::uuid AND state = 'pending' RETURNING * INTO hold;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = 'ledger_holds';
  END IF;
  UPDATE ledger_accounts SET held = held - greatest(hold.amount - hold.captured, 0) WHERE id = hold.account_id;
END $$;
`
