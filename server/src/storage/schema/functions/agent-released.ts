/**
 * Subtracts a released reservation from the totals of its day and month. A reservation can be released only
 * once its money was returned.
 */
export const agentReleased = `
CREATE OR REPLACE FUNCTION agent_released() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state = 'RELEASED' OR NEW.amount <> OLD.amount THEN
    RAISE EXCEPTION 'a reservation that was released, or its amount, cannot be changed';
  END IF;
  IF NEW.state = 'RELEASED' THEN
    IF agent_money_is_back(NEW.id) IS NOT TRUE THEN
      RAISE EXCEPTION 'a reservation cannot be released before its money is back';
    END IF;
    UPDATE agent_budgets SET spent = spent - NEW.amount, count = count - 1
      WHERE agent_id = NEW.agent_id AND currency = NEW.currency AND period = NEW.day;
    UPDATE agent_budgets SET spent = spent - NEW.amount, count = count - 1
      WHERE agent_id = NEW.agent_id AND currency = NEW.currency AND period = NEW.month;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER agent_released AFTER UPDATE ON agent_reservations FOR EACH ROW EXECUTE FUNCTION agent_released();
`
