/**
 * Closes all accounts of a customer permanently. Guards: the accounts are empty (a constraint of
 * `ledger_accounts`), no payment is open, and no card or card key is left that could start another one. It is
 * the last write of its write set: by then everything that it reads is locked or closed.
 */
export const ledgerClose = `
CREATE OR REPLACE FUNCTION ledger_close(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM ledger_accounts WHERE id IN (SELECT id FROM internal_accounts WHERE customer_id = (w->>'owner')::uuid)
    ORDER BY id FOR UPDATE;
  UPDATE ledger_accounts SET is_closed = true
    WHERE id IN (SELECT id FROM internal_accounts WHERE customer_id = (w->>'owner')::uuid);
  -- Alone: on Citus a statement with a table runs on the node of the table, and a function of that statement may read no other table.
  PERFORM 1 FROM customer_open_payments((w->>'owner')::uuid);
  IF FOUND OR EXISTS (SELECT 1 FROM cards WHERE cardholder_id = (w->>'owner')::uuid AND state <> 'CLOSED')
    OR EXISTS (SELECT 1 FROM cards c JOIN delegated_keys k ON k.card_id = c.id
               WHERE c.cardholder_id = (w->>'owner')::uuid AND k.status <> 'REVOKED') THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = 'customers';
  END IF;
END $$;
`
