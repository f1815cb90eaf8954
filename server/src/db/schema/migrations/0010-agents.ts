/** Agents, what connects them, what they asked for, and how much of their limits is used. Decision 0023. */
export const agents = `
CREATE TABLE agents (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  customer_id text NOT NULL REFERENCES customers,
  name text NOT NULL,
  policy jsonb NOT NULL,
  is_paused boolean NOT NULL,
  -- SHA-256 of the bearer token, in hex. The token itself is nowhere.
  token_hash text UNIQUE,
  -- The one code that is good, if there is one.
  device_code_id text,
  -- Counts the changes to name, policy and pause: what a decision was made by.
  version integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz
);
CREATE INDEX agents_page ON agents (platform_id, created_at, id);
CREATE INDEX agents_customer ON agents (customer_id);

CREATE TABLE agent_device_codes (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  agent_id text NOT NULL REFERENCES agents,
  -- A keyed digest of the code, in hex.
  code_mac text NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  redeemed_at timestamptz,
  created_at timestamptz NOT NULL
);
CREATE INDEX agent_device_codes_agent ON agent_device_codes (agent_id);

CREATE TABLE agent_actions (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  agent_id text NOT NULL REFERENCES agents,
  customer_id text NOT NULL REFERENCES customers,
  type text NOT NULL CHECK (type IN ('EXECUTE_QUOTE', 'TRANSFER_OUT', 'TRANSFER_IN')),
  state text NOT NULL CHECK (state IN ('PENDING_APPROVAL', 'APPROVED', 'REJECTED', 'FAILED')),
  -- The platform's word, where it gave one: said again, it is answered as the first time.
  decided text CHECK (decided IN ('APPROVE', 'REJECT')),
  quote_id text REFERENCES quotes,
  -- Its payment. An action is asked for once.
  transaction_id text NOT NULL UNIQUE REFERENCES transactions,
  -- The customer has signed already: an embedded wallet pays by its signature.
  is_signed boolean NOT NULL,
  reason text,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX agent_actions_agent ON agent_actions (agent_id, created_at, id);
CREATE INDEX agent_actions_waiting ON agent_actions (platform_id, created_at, id) WHERE state = 'PENDING_APPROVAL';

CREATE TABLE agent_decisions (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  agent_id text NOT NULL REFERENCES agents,
  action_id text,
  decision jsonb NOT NULL,
  inputs jsonb NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX agent_decisions_agent ON agent_decisions (agent_id, created_at, id);

-- The ledger of what agents spend. A payment reserves its amount once, under its own id.
CREATE TABLE agent_reservations (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  agent_id text NOT NULL REFERENCES agents,
  state text NOT NULL CHECK (state IN ('RESERVED', 'CAPTURED', 'RELEASED')),
  -- In the currency of the limits, as it was converted when the payment was asked for.
  currency text NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  -- 2025-10-13 and 2025-10, in UTC.
  day text NOT NULL,
  month text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX agent_reservations_agent ON agent_reservations (agent_id, day);

-- The sums of the reservations that were not released, by day and by month. Only the triggers below write it.
CREATE TABLE agent_budgets (
  platform_id text NOT NULL REFERENCES platforms,
  agent_id text NOT NULL REFERENCES agents,
  period text NOT NULL,
  currency text NOT NULL,
  spent bigint NOT NULL CHECK (spent >= 0),
  count integer NOT NULL CHECK (count >= 0),
  PRIMARY KEY (agent_id, period, currency)
);

-- Adds to the sums, and refuses what is over a limit of the policy: whatever runs in parallel waits for the row of the
-- day and finds it as it then is. A refusal is a guard that failed, so the operation is decided again.
CREATE FUNCTION agent_reserved() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE FUNCTION agent_released() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state = 'RELEASED' OR NEW.amount <> OLD.amount THEN
    RAISE EXCEPTION 'a reservation that was released, or its amount, cannot be changed';
  END IF;
  IF NEW.state = 'RELEASED' THEN
    UPDATE agent_budgets SET spent = spent - NEW.amount, count = count - 1
      WHERE agent_id = NEW.agent_id AND currency = NEW.currency AND period = NEW.day;
    UPDATE agent_budgets SET spent = spent - NEW.amount, count = count - 1
      WHERE agent_id = NEW.agent_id AND currency = NEW.currency AND period = NEW.month;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER agent_released AFTER UPDATE ON agent_reservations FOR EACH ROW EXECUTE FUNCTION agent_released();

-- A payment of an agent that comes to nothing, whenever and why ever, gives back what it had reserved.
CREATE FUNCTION agent_payment_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE agent_reservations SET state = 'RELEASED', updated_at = NEW.updated_at
    WHERE id = NEW.id AND state <> 'RELEASED';
  RETURN NULL;
END $$;
CREATE TRIGGER agent_payment_ended AFTER UPDATE OF state ON transactions FOR EACH ROW
  WHEN (NEW.agent_id IS NOT NULL AND NEW.state IN ('FAILED', 'REJECTED', 'REFUNDED', 'EXPIRED'))
  EXECUTE FUNCTION agent_payment_ended();
`
