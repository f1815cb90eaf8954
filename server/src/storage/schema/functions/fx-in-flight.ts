/**
 * Counts what an executed conversion will buy and sell, and what it no longer will once it has ended. Refuses to count one that
 * would leave the position of its receiving currency further short than its limit, if all that is sold arrives and nothing of what
 * is bought. A refusal is a failed guard, so the operation runs again.
 *
 * Whoever changes the sums has one lock of the whole database until the commit: a lock by currency could be taken in two
 * orders by two batches. The position is read after it, in a statement of its own: what was settled before is both in the
 * position and out of the sums, what is settled later in neither.
 */
export const fxInFlight = `
CREATE OR REPLACE FUNCTION fx_in_flight() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE sold_now bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(7202510133);
  IF NEW.position_limit IS NULL THEN
    UPDATE fx_in_flight SET sold = sold - OLD.receiving_amount
      WHERE platform_id = OLD.platform_id AND currency = OLD.receiving_currency;
    UPDATE fx_in_flight SET bought = bought - (OLD.sending_amount - OLD.fees)
      WHERE platform_id = OLD.platform_id AND currency = OLD.sending_currency;
    RETURN NULL;
  END IF;
  IF OLD.position_limit IS NOT NULL THEN
    RAISE EXCEPTION 'a quote is counted once among the conversions under way';
  END IF;
  INSERT INTO fx_in_flight AS f (platform_id, currency, bought, sold)
    VALUES (NEW.platform_id, NEW.sending_currency, NEW.sending_amount - NEW.fees, 0)
    ON CONFLICT (platform_id, currency) DO UPDATE SET bought = f.bought + excluded.bought;
  INSERT INTO fx_in_flight AS f (platform_id, currency, bought, sold)
    VALUES (NEW.platform_id, NEW.receiving_currency, 0, NEW.receiving_amount)
    ON CONFLICT (platform_id, currency) DO UPDATE SET sold = f.sold + excluded.sold
    RETURNING f.sold INTO sold_now;
  -- As numeric: the sum of two of them may be beyond int64.
  IF coalesce((SELECT posted FROM ledger_accounts
      WHERE platform_id = NEW.platform_id AND currency = NEW.receiving_currency AND name = 'fx'), 0)::numeric
    - sold_now < - NEW.position_limit::numeric
  THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = 'fx_in_flight';
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER fx_in_flight AFTER UPDATE OF position_limit ON quotes FOR EACH ROW
  WHEN (OLD.position_limit IS DISTINCT FROM NEW.position_limit) EXECUTE FUNCTION fx_in_flight();
`
