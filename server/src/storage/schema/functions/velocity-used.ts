/**
 * Adds a payment to the totals of its customer or payee for the day and month, and rejects it if a limit
 * would be exceeded. Concurrent payments wait for the row of the day and then read its new value. A rejection
 * is a failed guard, so the operation runs again.
 */
export const velocityUsed = `
CREATE OR REPLACE FUNCTION velocity_used() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE used velocity_counters;
BEGIN
  INSERT INTO velocity_counters AS c (platform_id, subject, subject_digest, period, currency, amount, count)
    VALUES (NEW.platform_id, NEW.subject, NEW.subject_digest, NEW.day, NEW.currency, NEW.amount, 1)
    ON CONFLICT (platform_id, subject, subject_digest, period, currency)
      DO UPDATE SET amount = c.amount + excluded.amount, count = c.count + 1
    RETURNING * INTO used;
  IF used.count > NEW.day_count_max OR used.amount > NEW.day_amount_max THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = 'velocity_counters';
  END IF;
  INSERT INTO velocity_counters AS c (platform_id, subject, subject_digest, period, currency, amount, count)
    VALUES (NEW.platform_id, NEW.subject, NEW.subject_digest, NEW.month, NEW.currency, NEW.amount, 1)
    ON CONFLICT (platform_id, subject, subject_digest, period, currency)
      DO UPDATE SET amount = c.amount + excluded.amount, count = c.count + 1
    RETURNING * INTO used;
  IF used.count > NEW.month_count_max OR used.amount > NEW.month_amount_max THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = 'velocity_counters';
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER velocity_used AFTER INSERT ON velocity_uses FOR EACH ROW EXECUTE FUNCTION velocity_used();
`
