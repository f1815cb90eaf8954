import { AGENT_WORDS } from '../search-words.ts'

/**
 * Agents, their connections and requests, and how much of their limits is used. Decision 0023. Each payment
 * writes actions, decisions and reservations, so their references to platform and customer are not checked
 * (decision 0017).
 */
export const agentTables = `
CREATE TABLE agents (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  customer_id uuid NOT NULL REFERENCES customers,
  name text NOT NULL,
  -- The current policy, and its version in agent_policies.
  policy jsonb NOT NULL,
  policy_version integer NOT NULL,
  is_paused boolean NOT NULL,
  -- SHA-256 of the bearer token, in hex. The token itself is not stored.
  token_hash text UNIQUE,
  -- The only code that can be redeemed, if any.
  device_code_id uuid,
  -- Incremented with every change to name, policy or pause state. Decisions are guarded by it.
  version integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz
);
CREATE INDEX agents_page ON agents (platform_id, created_at, id);
CREATE INDEX agents_customer ON agents (customer_id);
CREATE INDEX agents_words ON agents USING gin ((${AGENT_WORDS}));

-- The current and earlier policies of agents.
CREATE TABLE agent_policies (
  platform_id uuid NOT NULL REFERENCES platforms,
  agent_id uuid NOT NULL REFERENCES agents,
  version integer NOT NULL,
  policy jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (agent_id, version)
);

CREATE TABLE agent_device_codes (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  agent_id uuid NOT NULL REFERENCES agents,
  -- A keyed digest of the code, in hex.
  code_mac text NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  redeemed_at timestamptz,
  created_at timestamptz NOT NULL
);
CREATE INDEX agent_device_codes_agent ON agent_device_codes (agent_id);

CREATE TABLE agent_actions (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  agent_id uuid NOT NULL REFERENCES agents,
  customer_id uuid NOT NULL,
  type text NOT NULL CHECK (type IN ('EXECUTE_QUOTE', 'TRANSFER_OUT', 'TRANSFER_IN')),
  state text NOT NULL CHECK (state IN ('PENDING_APPROVAL', 'APPROVED', 'REJECTED', 'FAILED')),
  -- The platform's decision, if any. Repeating the same decision returns the same response.
  decided text CHECK (decided IN ('APPROVE', 'REJECT')),
  quote_id uuid REFERENCES quotes,
  -- The payment, which belongs to no other action. Deferred, because commit_together writes transactions after
  -- the rows of other tables.
  transaction_id uuid NOT NULL UNIQUE REFERENCES transactions DEFERRABLE INITIALLY DEFERRED,
  -- True if the customer has signed. An embedded wallet pays with its signature.
  is_signed boolean NOT NULL,
  reason text,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX agent_actions_agent ON agent_actions (agent_id, created_at, id);
CREATE INDEX agent_actions_waiting ON agent_actions (platform_id, created_at, id) WHERE state = 'PENDING_APPROVAL';

CREATE TABLE agent_decisions (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  agent_id uuid NOT NULL REFERENCES agents,
  action_id uuid,
  decision jsonb NOT NULL,
  -- All inputs of the decision except the policy, which is identified by its version.
  inputs jsonb NOT NULL,
  policy_version integer NOT NULL,
  created_at timestamptz NOT NULL,
  FOREIGN KEY (agent_id, policy_version) REFERENCES agent_policies
);
CREATE INDEX agent_decisions_agent ON agent_decisions (agent_id, created_at, id);

-- Amounts reserved by agents' payments. A payment reserves its amount once, under its own id.
CREATE TABLE agent_reservations (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  agent_id uuid NOT NULL REFERENCES agents,
  state text NOT NULL CHECK (state IN ('RESERVED', 'CAPTURED', 'RELEASED')),
  -- In the currency of the limits, converted when the payment was requested.
  currency text NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  -- 2025-10-13 and 2025-10, in UTC.
  day text NOT NULL,
  month text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX agent_reservations_agent ON agent_reservations (agent_id, day);

-- Totals of reservations that were not released, by day and by month. Only the functions agent_reserved and
-- agent_released write them.
CREATE TABLE agent_budgets (
  platform_id uuid NOT NULL REFERENCES platforms,
  agent_id uuid NOT NULL REFERENCES agents,
  period text NOT NULL,
  currency text NOT NULL,
  spent bigint NOT NULL CHECK (spent >= 0),
  count integer NOT NULL CHECK (count >= 0),
  PRIMARY KEY (agent_id, period, currency)
);
`
