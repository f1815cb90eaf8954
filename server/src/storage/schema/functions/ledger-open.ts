/** Opens a ledger account, unless it is already open. */
export const ledgerOpen = `
CREATE OR REPLACE FUNCTION ledger_open(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger_accounts (id, platform_id, owner, name, currency, normal_side, may_overdraw, posted, held)
  VALUES ((w->>'id')::uuid, (w->>'platformId')::uuid, (w->>'owner')::uuid, w->>'name', w->>'currency', w->>'normalSide',
    (w->>'mayOverdraw')::boolean, 0, 0)
  ON CONFLICT (id) DO NOTHING;
END $$;
`
