/**
 * What agents spent comes back to their limits with the money, not with the failure; a policy is stored once, and
 * decisions name its version; what a list of accounts said of accounts elsewhere is a list of its own. Decision 0023.
 */
export const agentMoney = `
-- Whether the money of a payment that ended is where it came from. Without a hold and a refund it never left: the payment
-- was not begun, or nothing was pulled in.
CREATE FUNCTION agent_money_is_back(payment text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT t.state IN ('FAILED', 'REJECTED', 'REFUNDED', 'EXPIRED') AND CASE
    WHEN t.refund IS NOT NULL THEN t.refund->>'status' = 'COMPLETED'
    WHEN t.hold_id IS NOT NULL THEN (SELECT state = 'voided' FROM ledger_holds WHERE id = t.hold_id)
    ELSE true END
  FROM transactions t WHERE t.id = payment
$$;

-- A reservation is given back where the money is back, and in no other way.
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

-- Asked at the commit: by then the hold of the same write set is voided, in whichever order it was written.
DROP TRIGGER agent_payment_ended ON transactions;
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

-- What was given back while its refund was pending, or had failed, counts again.
ALTER TABLE agent_reservations DISABLE TRIGGER agent_released;
WITH counted AS (
  UPDATE agent_reservations r SET state = 'CAPTURED' FROM transactions t
  WHERE t.id = r.id AND r.state = 'RELEASED' AND t.refund->>'status' <> 'COMPLETED' RETURNING r.*),
sums AS (
  SELECT agent_id, period, currency, sum(amount)::bigint AS amount, count(*)::integer AS count
  FROM counted CROSS JOIN LATERAL (VALUES (day), (month)) AS p (period) GROUP BY 1, 2, 3)
UPDATE agent_budgets b SET spent = b.spent + s.amount, count = b.count + s.count
  FROM sums s WHERE b.agent_id = s.agent_id AND b.period = s.period AND b.currency = s.currency;
ALTER TABLE agent_reservations ENABLE TRIGGER agent_released;

-- A list of accounts was held against both sides: that of accounts elsewhere is now its own, and as strict as it was.
UPDATE agents SET policy = jsonb_set(policy, '{accountRestrictions}', policy->'accountRestrictions' || (
  SELECT jsonb_build_object(
    'allowedAccountIds', coalesce(jsonb_agg(id ORDER BY place) FILTER (WHERE id LIKE 'InternalAccount:%'), '[]'),
    'allowedExternalAccountIds', coalesce(jsonb_agg(id ORDER BY place) FILTER (WHERE id LIKE 'ExternalAccount:%'), '[]'))
  FROM jsonb_array_elements_text(policy->'accountRestrictions'->'allowedAccountIds') WITH ORDINALITY AS a (id, place)))
WHERE jsonb_typeof(policy->'accountRestrictions'->'allowedAccountIds') = 'array';

-- Each policy that an agent has had. The one of now is the agent's own as well.
CREATE TABLE agent_policies (
  platform_id text NOT NULL REFERENCES platforms,
  agent_id text NOT NULL REFERENCES agents,
  version integer NOT NULL,
  policy jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (agent_id, version)
);
ALTER TABLE agents ADD COLUMN policy_version integer NOT NULL DEFAULT 1;
ALTER TABLE agent_decisions ADD COLUMN policy_version integer NOT NULL DEFAULT 1;

INSERT INTO agent_policies (platform_id, agent_id, version, policy, created_at)
  SELECT platform_id, agent_id, row_number() OVER (PARTITION BY agent_id ORDER BY is_present, since), policy, since
  FROM (
    SELECT platform_id, agent_id, policy, bool_or(is_present) AS is_present, min(since) AS since FROM (
      SELECT platform_id, agent_id, inputs->'policy' AS policy, false AS is_present, created_at AS since
        FROM agent_decisions
      UNION ALL SELECT platform_id, id, policy, true, updated_at FROM agents) AS had
    GROUP BY platform_id, agent_id, policy) AS policies;
UPDATE agents a SET policy_version = p.version FROM agent_policies p WHERE p.agent_id = a.id AND p.policy = a.policy;
UPDATE agent_decisions d SET policy_version = p.version, inputs = d.inputs - 'policy'
  FROM agent_policies p WHERE p.agent_id = d.agent_id AND p.policy = d.inputs->'policy';

ALTER TABLE agents ALTER COLUMN policy_version DROP DEFAULT;
ALTER TABLE agent_decisions ALTER COLUMN policy_version DROP DEFAULT,
  ADD FOREIGN KEY (agent_id, policy_version) REFERENCES agent_policies;
`
