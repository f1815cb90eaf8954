/**
 * Closes all accounts of a customer permanently. Guards: the accounts are empty, no payment is open, and no
 * card or card key remains that could start one. It is the last write of a transaction, when everything that
 * it reads is locked or closed.
 */
export const ledgerClose = `
CREATE OR REPLACE FUNCTION ledger_close(customer uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM ledger_accounts WHERE id IN (SELECT id FROM internal_accounts WHERE customer_id = customer) ORDER BY id FOR UPDATE;
  -- Alone: on Citus a statement with a table runs on the node of the table, and a function of that statement may read no other table.
  PERFORM 1 FROM customer_open_payments(customer);
  IF FOUND OR EXISTS (SELECT 1 FROM cards WHERE cardholder_id = customer AND state <> 'CLOSED')
    OR EXISTS (SELECT 1 FROM cards c JOIN delegated_keys k ON k.card_id = c.id
               WHERE c.cardholder_id = customer AND k.status <> 'REVOKED')
    OR EXISTS (SELECT 1 FROM ledger_accounts WHERE id IN (SELECT id FROM internal_accounts WHERE customer_id = customer)
               AND (posted <> 0 OR held <> 0)) THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = 'customers';
  END IF;
  UPDATE ledger_accounts SET is_closed = true WHERE id IN (SELECT id FROM internal_accounts WHERE customer_id = customer);
END $$;
`
