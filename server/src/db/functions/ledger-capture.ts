/**
 * Captures a part of a pending hold, all of it, or more. The captured money leaves by a transfer of the same write set.
 * With `final`, the rest of the hold is released.
 */
export const ledgerCapture = `
CREATE OR REPLACE FUNCTION ledger_capture(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE hold ledger_holds; taken bigint := (w->>'amount')::bigint; final boolean := (w->>'final')::boolean; left_over bigint;
BEGIN
  SELECT * INTO hold FROM ledger_holds WHERE id = (w->>'hold')::uuid AND state = 'pending' FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = 'ledger_holds';
  END IF;
  left_over := greatest(hold.amount - hold.captured, 0);
  UPDATE ledger_holds SET captured = captured + taken, updated_at = (w->>'at')::timestamptz,
    state = CASE WHEN final OR taken >= left_over THEN 'posted' ELSE 'pending' END WHERE id = hold.id;
  UPDATE ledger_accounts SET held = held - CASE WHEN final THEN left_over ELSE least(taken, left_over) END
    WHERE id = hold.account_id;
END $$;
`
