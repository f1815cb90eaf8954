/**
 * Compares a written match with its lines and with the ledger, and checks that an undone one has left nothing
 * behind. It is called last by `commit_together`. The rail's account is locked before the sums are read, so
 * that no movement is missed; a difference is a failed guard.
 */
export const reconciliationMatchSums = `
CREATE OR REPLACE FUNCTION reconciliation_match_sums(match_id uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  m reconciliation_matches;
  account uuid;
  members uuid[];
  item_count bigint;
  line_count bigint;
  fit_count bigint;
  lines_sum numeric;
  is_whole boolean;
  booked numeric;
  moved numeric;
BEGIN
  SELECT * INTO STRICT m FROM reconciliation_matches AS r WHERE r.id = reconciliation_match_sums.match_id;
  IF m.state NOT IN ('MATCHED', 'UNDONE') THEN
    RETURN;
  END IF;
  SELECT id INTO account FROM ledger_accounts
    WHERE platform_id = m.platform_id AND name = 'rail:' || m.rail AND currency = m.currency FOR UPDATE;
  SELECT count(*) INTO item_count FROM reconciliation_match_items AS i WHERE i.match_id = m.id
    AND i.platform_id = m.platform_id AND i.rail = m.rail AND i.currency = m.currency;
  -- A payment with its quote and the deposits that paid for it, as the comparison of a day has it.
  members := ARRAY(
    SELECT i.item_id FROM reconciliation_match_items AS i WHERE i.match_id = m.id
    UNION SELECT t.quote_id FROM reconciliation_match_items AS i JOIN transactions AS t ON t.id = i.item_id
      WHERE i.match_id = m.id AND t.quote_id IS NOT NULL
    UNION SELECT d.id FROM reconciliation_match_items AS i JOIN deposits AS d ON d.transaction_id = i.item_id
      WHERE i.match_id = m.id);
  SELECT count(*), count(*) FILTER (WHERE s.platform_id = m.platform_id AND s.rail = m.rail AND s.currency = m.currency
      AND (e.item_id = ANY (members) OR (e.item_id IS NULL AND e.reason IS NOT NULL))), coalesce(sum(e.amount), 0)
    INTO line_count, fit_count, lines_sum
    FROM rail_statement_entries AS e JOIN rail_statements AS s ON s.id = e.statement_id WHERE e.match_id = m.id;
  is_whole := NOT EXISTS (SELECT FROM rail_statement_entries AS e JOIN rail_statements AS s ON s.id = e.statement_id
    WHERE e.item_id = ANY (members) AND e.match_id IS DISTINCT FROM m.id
      AND s.platform_id = m.platform_id AND s.rail = m.rail AND s.currency = m.currency);
  SELECT coalesce(sum(CASE l.debit_account_id WHEN account THEN l.amount ELSE - l.amount END)
        FILTER (WHERE l.cause NOT IN ('statement', 'match')), 0),
      coalesce(sum(CASE l.debit_account_id WHEN account THEN l.amount ELSE - l.amount END) FILTER (WHERE l.cause = 'match'), 0)
    INTO booked, moved FROM ledger_transfers AS l
    WHERE l.cause_id = ANY (members || m.id) AND l.state = 'posted' AND account IN (l.debit_account_id, l.credit_account_id);
  IF m.state = 'UNDONE' AND line_count = 0 AND item_count = 0 AND moved = 0 THEN
    RETURN;
  END IF;
  IF m.state = 'MATCHED' AND is_whole AND fit_count = line_count AND line_count = jsonb_array_length(m.lines)
    AND item_count = jsonb_array_length(m.items) AND lines_sum = m.line_sum AND booked = m.book_sum
    AND moved = m.line_sum::numeric - m.book_sum THEN
    RETURN;
  END IF;
  RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = 'reconciliation_match_sums';
END $$;
`
