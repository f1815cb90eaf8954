/**
 * Adds a transfer. A pending one holds its amount on the debited account; a posted one moves it. Both
 * accounts of a posted one must be open and have the transfer's platform and currency; the credited account
 * of a pending one is checked when it is posted.
 */
export const ledgerTransfer = `
CREATE OR REPLACE FUNCTION ledger_transfer(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE moved bigint := (w->>'amount')::bigint; is_posted boolean := w->>'state' = 'posted';
BEGIN
  INSERT INTO ledger_transfers (id, platform_id, debit_account_id, credit_account_id, currency, amount, state, cause, cause_id,
      created_at, ended_at)
    VALUES ((w->>'id')::uuid, (w->>'platformId')::uuid, (w->>'debit')::uuid, (w->>'credit')::uuid, w->>'currency', moved,
      w->>'state', w->>'cause', (w->>'causeId')::uuid, (w->>'at')::timestamptz, CASE WHEN is_posted THEN (w->>'at')::timestamptz END);
  IF is_posted THEN
    PERFORM ledger_move(w, (w->>'debit')::uuid, - moved, 0);
    PERFORM ledger_move(w, (w->>'credit')::uuid, moved, 0);
  ELSE
    PERFORM ledger_move(w, (w->>'debit')::uuid, 0, moved);
  END IF;
END $$;
`
