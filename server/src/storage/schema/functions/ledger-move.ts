/** Changes the balances of an account by one side of a transfer: a credit is positive, a debit negative. */
export const ledgerMove = `
CREATE OR REPLACE FUNCTION ledger_move(w jsonb, account uuid, credited bigint, newly_held bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ledger_accounts SET held = held + newly_held,
      posted = posted + CASE normal_side WHEN 'credit' THEN credited ELSE - credited END
    WHERE id = account AND platform_id = (w->>'platformId')::uuid AND currency = w->>'currency';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'a transfer names an account that is not open, or of another currency'
      USING ERRCODE = 'foreign_key_violation';
  END IF;
END $$;
`
