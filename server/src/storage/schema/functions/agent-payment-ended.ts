/**
 * Releases the reservation of an agent's unsuccessful payment once its money was returned. It runs at commit,
 * when the hold in the same write set has been voided, whatever the order of the writes.
 */
export const agentPaymentEnded = `
CREATE OR REPLACE FUNCTION agent_payment_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF agent_money_is_back(NEW.id) THEN
    UPDATE agent_reservations SET state = 'RELEASED', updated_at = NEW.updated_at
      WHERE id = NEW.id AND state <> 'RELEASED';
  END IF;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER agent_payment_ended AFTER UPDATE ON transactions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.agent_id IS NOT NULL AND NEW.state IN ('FAILED', 'REJECTED', 'REFUNDED', 'EXPIRED'))
  EXECUTE FUNCTION agent_payment_ended();
`
