import { buildSchemaLock } from '../schema-lock.ts'

/**
 * Counts the amounts that an executed conversion will buy and sell, and removes them once it is finished.
 * Fails a guard, so that the operation runs again, if the position would exceed the short limit of its
 * receiving currency even with every sale settled and no purchase.
 *
 * Batches could lock currencies in different orders, so one lock covers the whole schema until the commit;
 * the position is read after taking the lock, in a separate statement, so that no settlement is missed or
 * counted twice.
 */
export const fxInFlight = `
CREATE OR REPLACE FUNCTION fx_in_flight() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE sold_now bigint;
BEGIN
  PERFORM ${buildSchemaLock(7_202_510_133)};
  IF NEW.position_limit IS NULL THEN
    UPDATE fx_in_flight SET sold = sold - OLD.receiving_amount
      WHERE platform_id = OLD.platform_id AND currency = OLD.receiving_currency;
    UPDATE fx_in_flight SET bought = bought - (OLD.sending_amount - OLD.fees)
      WHERE platform_id = OLD.platform_id AND currency = OLD.sending_currency;
    RETURN NULL;
  END IF;
  IF OLD.position_limit IS NOT NULL THEN
    RAISE EXCEPTION 'a quote counts only once among the conversions in progress';
  END IF;
  INSERT INTO fx_in_flight AS f (platform_id, currency, bought, sold)
    VALUES (NEW.platform_id, NEW.sending_currency, NEW.sending_amount - NEW.fees, 0)
    ON CONFLICT (platform_id, currency) DO UPDATE SET bought = f.bought + excluded.bought;
  INSERT INTO fx_in_flight AS f (platform_id, currency, bought, sold)
    VALUES (NEW.platform_id, NEW.receiving_currency, 0, NEW.receiving_amount)
    ON CONFLICT (platform_id, currency) DO UPDATE SET sold = f.sold + excluded.sold
    RETURNING f.sold INTO sold_now;
  -- As numeric: the sum of two int64 values may exceed int64.
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
