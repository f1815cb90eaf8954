/** Posts a transfer: its row, its entries, and the balances of its accounts. */
export const ledgerPost = `
CREATE OR REPLACE FUNCTION ledger_post(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE expected integer := jsonb_array_length(w->'entries'); moved integer;
BEGIN
  INSERT INTO ledger_transfers VALUES
    ((w->>'id')::uuid, (w->>'platformId')::uuid, w->>'cause', (w->>'causeId')::uuid, (w->>'at')::timestamptz);
  INSERT INTO ledger_entries (transfer_id, line, account_id, currency, amount, created_at)
    SELECT (w->>'id')::uuid, e.line, a.id, a.currency, (e.value->>'amount')::bigint, (w->>'at')::timestamptz
    FROM jsonb_array_elements(w->'entries') WITH ORDINALITY AS e (value, line)
    JOIN ledger_accounts a ON a.id = (e.value->>'account')::uuid AND a.platform_id = (w->>'platformId')::uuid;
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved <> expected THEN
    RAISE EXCEPTION 'a transfer names an account that is not open' USING ERRCODE = 'foreign_key_violation';
  END IF;
  UPDATE ledger_accounts a SET posted = a.posted + CASE a.normal_side WHEN 'credit' THEN e.amount ELSE -e.amount END
    FROM (SELECT (v.value->>'account')::uuid AS account, sum((v.value->>'amount')::bigint)::bigint AS amount
          FROM jsonb_array_elements(w->'entries') AS v GROUP BY 1) e
    WHERE a.id = e.account;
END $$;
`
