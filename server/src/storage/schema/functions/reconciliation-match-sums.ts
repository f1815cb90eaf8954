/**
 * Compares a match with its lines and with the ledger when it is committed, and an undone one with what it has left behind. The
 * account of the rail is locked before the sums are read, so no movement is missed; a difference is a failed guard.
 */
export const reconciliationMatchSums = `
CREATE OR REPLACE FUNCTION reconciliation_match_sums() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
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
  SELECT id INTO account FROM ledger_accounts
    WHERE platform_id = NEW.platform_id AND name = 'rail:' || NEW.rail AND currency = NEW.currency FOR UPDATE;
  SELECT count(*) INTO item_count FROM reconciliation_match_items AS i WHERE i.match_id = NEW.id
    AND i.platform_id = NEW.platform_id AND i.rail = NEW.rail AND i.currency = NEW.currency;
  -- A payment with its quote and the deposits that paid for it, as the comparison of a day has it.
  members := ARRAY(
    SELECT i.item_id FROM reconciliation_match_items AS i WHERE i.match_id = NEW.id
    UNION SELECT t.quote_id FROM reconciliation_match_items AS i JOIN transactions AS t ON t.id = i.item_id
      WHERE i.match_id = NEW.id AND t.quote_id IS NOT NULL
    UNION SELECT d.id FROM reconciliation_match_items AS i JOIN deposits AS d ON d.transaction_id = i.item_id
      WHERE i.match_id = NEW.id);
  SELECT count(*), count(*) FILTER (WHERE s.platform_id = NEW.platform_id AND s.rail = NEW.rail AND s.currency = NEW.currency
      AND (e.item_id = ANY (members) OR (e.item_id IS NULL AND e.reason IS NOT NULL))), coalesce(sum(e.amount), 0)
    INTO line_count, fit_count, lines_sum
    FROM rail_statement_entries AS e JOIN rail_statements AS s ON s.id = e.statement_id WHERE e.match_id = NEW.id;
  is_whole := NOT EXISTS (SELECT FROM rail_statement_entries AS e JOIN rail_statements AS s ON s.id = e.statement_id
    WHERE e.item_id = ANY (members) AND e.match_id IS DISTINCT FROM NEW.id
      AND s.platform_id = NEW.platform_id AND s.rail = NEW.rail AND s.currency = NEW.currency);
  SELECT coalesce(sum(CASE l.debit_account_id WHEN account THEN l.amount ELSE - l.amount END)
        FILTER (WHERE l.cause NOT IN ('statement', 'match')), 0),
      coalesce(sum(CASE l.debit_account_id WHEN account THEN l.amount ELSE - l.amount END) FILTER (WHERE l.cause = 'match'), 0)
    INTO booked, moved FROM ledger_transfers AS l
    WHERE l.cause_id = ANY (members || NEW.id) AND l.state = 'posted' AND account IN (l.debit_account_id, l.credit_account_id);
  IF NEW.state = 'UNDONE' AND line_count = 0 AND item_count = 0 AND moved = 0 THEN
    RETURN NULL;
  END IF;
  IF NEW.state = 'MATCHED' AND is_whole AND fit_count = line_count AND line_count = jsonb_array_length(NEW.lines)
    AND item_count = jsonb_array_length(NEW.items) AND lines_sum = NEW.line_sum AND booked = NEW.book_sum
    AND moved = NEW.line_sum::numeric - NEW.book_sum THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = 'reconciliation_match_sums';
END $$;

CREATE TRIGGER reconciliation_matches_inserted AFTER INSERT ON reconciliation_matches FOR EACH ROW
  WHEN (NEW.state = 'MATCHED') EXECUTE FUNCTION reconciliation_match_sums();

CREATE TRIGGER reconciliation_matches_moved AFTER UPDATE OF state ON reconciliation_matches FOR EACH ROW
  WHEN (NEW.state IN ('MATCHED', 'UNDONE')) EXECUTE FUNCTION reconciliation_match_sums();
`
