/**
 * Adds a reservation to the totals of its day and month, and rejects it if a limit of the policy would be
 * exceeded. Concurrent calls wait for the row of the day and then read its new value. A rejection is a failed
 * guard, so the operation runs again.
 */
export const agentReserved = `
CREATE OR REPLACE FUNCTION agent_reserved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE limits jsonb;
BEGIN
  SELECT policy->'spendingLimits' INTO STRICT limits FROM agents WHERE id = NEW.agent_id;
  INSERT INTO agent_budgets AS b (platform_id, agent_id, period, currency, spent, count)
    VALUES (NEW.platform_id, NEW.agent_id, NEW.day, NEW.currency, NEW.amount, 1)
    ON CONFLICT (agent_id, period, currency) DO UPDATE SET spent = b.spent + excluded.spent, count = b.count + 1;
  INSERT INTO agent_budgets AS b (platform_id, agent_id, period, currency, spent, count)
    VALUES (NEW.platform_id, NEW.agent_id, NEW.month, NEW.currency, NEW.amount, 1)
    ON CONFLICT (agent_id, period, currency) DO UPDATE SET spent = b.spent + excluded.spent, count = b.count + 1;
  IF limits->>'currency' <> NEW.currency
    OR NEW.amount > (limits->>'perTransactionLimit')::bigint
    OR (SELECT spent FROM agent_budgets WHERE agent_id = NEW.agent_id AND period = NEW.day AND currency = NEW.currency)
      > (limits->>'dailyLimit')::bigint
    OR (SELECT spent FROM agent_budgets WHERE agent_id = NEW.agent_id AND period = NEW.month AND currency = NEW.currency)
      > (limits->>'monthlyLimit')::bigint
    OR (SELECT sum(count) FROM agent_budgets WHERE agent_id = NEW.agent_id AND period = NEW.day)
      > (limits->>'dailyTransactionLimit')::bigint
  THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = 'agent_budgets';
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER agent_reserved AFTER INSERT ON agent_reservations FOR EACH ROW EXECUTE FUNCTION agent_reserved();
`
