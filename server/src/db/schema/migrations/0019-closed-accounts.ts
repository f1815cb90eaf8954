/**
 * Accounts in the ledger that are closed for good, as those of a deleted customer: nothing is in them, and nothing comes
 * into them any more. A write that would move money of a closed account fails its guard, so whoever made it decides again.
 */
export const closedAccounts = `
ALTER TABLE ledger_accounts ADD COLUMN is_closed boolean NOT NULL DEFAULT false;
ALTER TABLE ledger_accounts ADD CONSTRAINT ledger_accounts_closed CHECK (NOT is_closed OR (posted = 0 AND held = 0));

-- Payments of a customer that still move money of theirs: executed or waiting for an approval, on their way back, paid by
-- card and not claimed or pulled yet. A quote that nobody has executed is none.
CREATE FUNCTION customer_open_payments(customer text) RETURNS TABLE (id text, kind text, status text, card_id text)
LANGUAGE sql STABLE AS $$
  SELECT t.id, 'transaction', t.state, NULL FROM transactions t
    WHERE t.customer_id = customer AND (t.state = 'PROCESSING' OR t.refund->>'status' = 'PENDING'
      OR (t.state = 'PENDING' AND (t.kind <> 'QUOTE' OR (t.agent_id IS NOT NULL AND EXISTS (
        SELECT 1 FROM agent_actions a WHERE a.transaction_id = t.id AND a.state = 'PENDING_APPROVAL')))))
  UNION ALL
  SELECT p.id, 'cardTransaction', p.state, p.card_id FROM cards c JOIN card_transactions p ON p.card_id = c.id
    WHERE c.cardholder_id = customer AND (p.unclaimed_amount > 0 OR p.pending_count > 0)
$$;

-- Closes all accounts of a customer. Guards: nothing is in them, no payment is open, no card and no key of one is left that
-- could begin another. It stands last in its write set: by then everything that it looks at is locked or closed.
CREATE FUNCTION ledger_close(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM ledger_accounts WHERE id IN (SELECT id FROM internal_accounts WHERE customer_id = w->>'owner')
    ORDER BY id FOR UPDATE;
  UPDATE ledger_accounts SET is_closed = true
    WHERE id IN (SELECT id FROM internal_accounts WHERE customer_id = w->>'owner');
  IF EXISTS (SELECT 1 FROM customer_open_payments(w->>'owner'))
    OR EXISTS (SELECT 1 FROM cards WHERE cardholder_id = w->>'owner' AND state <> 'CLOSED')
    OR EXISTS (SELECT 1 FROM cards c JOIN delegated_keys k ON k.card_id = c.id
               WHERE c.cardholder_id = w->>'owner' AND k.status <> 'REVOKED') THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = 'customers';
  END IF;
END $$;

CREATE OR REPLACE FUNCTION commit_write_sets(sets jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE results jsonb := '[]'; write_set jsonb; w jsonb; guard_name text;
BEGIN
  -- The accounts of the whole batch are locked in one order, so that two batches cannot block each other.
  PERFORM 1 FROM ledger_accounts WHERE id IN (
      SELECT coalesce(e->>'account', w1->>'account')
      FROM jsonb_array_elements(sets) AS s, jsonb_array_elements(s) AS w1
      LEFT JOIN LATERAL jsonb_array_elements(w1->'entries') AS e ON true
      WHERE w1->>'write' IN ('post', 'hold', 'capture', 'void'))
    ORDER BY id FOR UPDATE;
  FOR write_set IN SELECT value FROM jsonb_array_elements(sets) LOOP
    BEGIN
      FOR w IN SELECT value FROM jsonb_array_elements(write_set) LOOP
        CASE w->>'write'
          WHEN 'insert' THEN PERFORM write_insert(w);
          WHEN 'update' THEN PERFORM write_update(w);
          WHEN 'expect' THEN PERFORM write_expect(w);
          WHEN 'remove' THEN PERFORM write_remove(w);
          WHEN 'keep' THEN PERFORM write_keep(w);
          WHEN 'event' THEN PERFORM write_event(w);
          WHEN 'open' THEN PERFORM ledger_open(w);
          WHEN 'close' THEN PERFORM ledger_close(w);
          WHEN 'post' THEN PERFORM ledger_post(w);
          WHEN 'hold' THEN PERFORM ledger_hold(w);
          WHEN 'capture' THEN PERFORM ledger_capture(w);
          WHEN 'void' THEN PERFORM ledger_void(w);
        END CASE;
      END LOOP;
      results := results || 'null'::jsonb;
    EXCEPTION
      WHEN unique_violation THEN
        GET STACKED DIAGNOSTICS guard_name = CONSTRAINT_NAME;
        results := results || jsonb_build_object('guard', 'unique', 'name', guard_name);
      WHEN check_violation THEN
        GET STACKED DIAGNOSTICS guard_name = CONSTRAINT_NAME;
        CASE coalesce(guard_name, '')
          WHEN 'ledger_accounts_overdraft' THEN
            results := results || jsonb_build_object('guard', 'overdraft', 'name', guard_name);
          WHEN 'ledger_accounts_closed' THEN
            results := results || jsonb_build_object('guard', 'expectation', 'name', guard_name);
          ELSE RAISE;
        END CASE;
      WHEN SQLSTATE 'CS001' THEN
        GET STACKED DIAGNOSTICS guard_name = CONSTRAINT_NAME;
        results := results || jsonb_build_object('guard', 'expectation', 'name', guard_name);
    END;
  END LOOP;
  RETURN results;
END $$;
`
