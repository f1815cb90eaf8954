/** Posts or voids a pending transfer. Guard: it is pending, of these accounts and of this amount. */
export const ledgerEnd = `
CREATE OR REPLACE FUNCTION ledger_end(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE moved bigint := (w->>'amount')::bigint;
BEGIN
  UPDATE ledger_transfers SET state = w->>'state', ended_at = (w->>'at')::timestamptz
    WHERE id = w->>'id' AND state = 'pending' AND platform_id = w->>'platformId' AND currency = w->>'currency'
      AND debit_account_id = w->>'debit' AND amount = moved AND (w->>'state' = 'voided' OR credit_account_id = w->>'credit');
  IF NOT FOUND THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = 'ledger_transfers';
  END IF;
  IF w->>'state' = 'posted' THEN
    PERFORM ledger_move(w, w->>'debit', - moved, - moved);
    PERFORM ledger_move(w, w->>'credit', moved, 0);
  ELSE
    PERFORM ledger_move(w, w->>'debit', 0, - moved);
  END IF;
END $$;
`
