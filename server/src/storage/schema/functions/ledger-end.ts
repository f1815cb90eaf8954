/** Posts or voids a pending transfer. Guard: it is pending, with these accounts and this amount. */
export const ledgerEnd = `
CREATE OR REPLACE FUNCTION ledger_end(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE moved bigint := (w->>'amount')::bigint;
BEGIN
  UPDATE ledger_transfers SET state = w->>'state', ended_at = (w->>'at')::timestamptz
    WHERE id = (w->>'id')::uuid AND state = 'pending' AND platform_id = (w->>'platformId')::uuid AND currency = w->>'currency'
      AND debit_account_id = (w->>'debit')::uuid AND amount = moved AND (w->>'state' = 'voided' OR credit_account_id = (w->>'credit')::uuid);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = 'ledger_transfers';
  END IF;
  IF w->>'state' = 'posted' THEN
    PERFORM ledger_move(w, (w->>'debit')::uuid, - moved, - moved);
    PERFORM ledger_move(w, (w->>'credit')::uuid, moved, 0);
  ELSE
    PERFORM ledger_move(w, (w->>'debit')::uuid, 0, - moved);
  END IF;
END $$;
`
