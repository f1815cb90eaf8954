/** Sets money of an account aside, for a later capture or void. */
export const ledgerHold = `
CREATE OR REPLACE FUNCTION ledger_hold(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger_holds VALUES ((w->>'id')::uuid, (w->>'platformId')::uuid, (w->>'account')::uuid, (w->>'amount')::bigint, 0, 'pending',
    w->>'cause', (w->>'causeId')::uuid, (w->>'at')::timestamptz, (w->>'at')::timestamptz);
  UPDATE ledger_accounts SET held = held + (w->>'amount')::bigint WHERE id = (w->>'account')::uuid;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'a hold names an account that is not open' USING ERRCODE = 'foreign_key_violation';
  END IF;
END $$;
`
