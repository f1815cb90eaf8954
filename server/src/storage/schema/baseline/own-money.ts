/** The operator's own external accounts, and payments to them. */
export const ownMoneyTables = `
CREATE TABLE own_accounts (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  external_account_id uuid NOT NULL REFERENCES external_accounts,
  currency text NOT NULL,
  purpose text NOT NULL CHECK (purpose IN ('OWN_MONEY', 'COLD_STORAGE')),
  state text NOT NULL CHECK (state IN ('AWAITING_APPROVAL', 'ACTIVE', 'REMOVED')),
  reason text NOT NULL,
  -- The daily sweep.
  sweep jsonb,
  next_sweep_at timestamptz,
  version integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT own_accounts_sweep CHECK ((state = 'ACTIVE' AND sweep IS NOT NULL) = (next_sweep_at IS NOT NULL))
);
-- An account can have only one active registration.
CREATE UNIQUE INDEX own_accounts_external ON own_accounts (external_account_id) WHERE state <> 'REMOVED';
CREATE INDEX own_accounts_page ON own_accounts (platform_id, created_at DESC, id DESC);

CREATE TABLE platform_withdrawals (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  own_account_id uuid NOT NULL REFERENCES own_accounts,
  source text NOT NULL CHECK (source IN ('FEES', 'OWN_CAPITAL', 'ALL')),
  amount bigint NOT NULL CHECK (amount > 0),
  currency text NOT NULL,
  state text NOT NULL CHECK (state IN ('AWAITING_APPROVAL', 'SENT', 'FAILED', 'CANCELED')),
  reason text NOT NULL,
  remittance_information text,
  is_sweep boolean NOT NULL,
  code text,
  message text,
  -- The payment's row is written by another statement of the same commit.
  transaction_id uuid REFERENCES transactions DEFERRABLE INITIALLY DEFERRED,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT platform_withdrawals_sent CHECK ((state = 'SENT') = (transaction_id IS NOT NULL)),
  CONSTRAINT platform_withdrawals_fault CHECK ((state = 'FAILED') = (code IS NOT NULL))
);
CREATE INDEX platform_withdrawals_waiting ON platform_withdrawals (platform_id) WHERE state = 'AWAITING_APPROVAL';
CREATE INDEX platform_withdrawals_page ON platform_withdrawals (platform_id, created_at DESC, id DESC);
-- A payment belongs to at most one withdrawal.
CREATE UNIQUE INDEX platform_withdrawals_transaction ON platform_withdrawals (transaction_id) WHERE transaction_id IS NOT NULL;

-- Transfers between the treasury of a chain and cold storage, or to a new treasury address.
CREATE TABLE treasury_movements (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  own_account_id uuid REFERENCES own_accounts,
  direction text NOT NULL CHECK (direction IN ('TO_COLD_STORAGE', 'FROM_COLD_STORAGE', 'KEY_ROTATION')),
  rail text NOT NULL,
  network text NOT NULL,
  address text NOT NULL CHECK (address ~ '^0x[0-9a-f]{40}$'),
  amount bigint NOT NULL CHECK (amount > 0),
  currency text NOT NULL,
  state text NOT NULL CHECK (state IN ('AWAITING_APPROVAL', 'SENT', 'COMPLETED', 'FAILED', 'CANCELED')),
  reason text,
  transaction_hash text,
  code text,
  message text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT treasury_movements_cold CHECK ((direction = 'KEY_ROTATION') = (own_account_id IS NULL)),
  CONSTRAINT treasury_movements_reason CHECK ((direction = 'TO_COLD_STORAGE') = (reason IS NOT NULL)),
  CONSTRAINT treasury_movements_fault CHECK ((state = 'FAILED') = (code IS NOT NULL))
);
CREATE INDEX treasury_movements_open ON treasury_movements (platform_id, state) WHERE state IN ('AWAITING_APPROVAL', 'SENT');
CREATE INDEX treasury_movements_page ON treasury_movements (platform_id, created_at DESC, id DESC);

-- Treasury keys created by rotations. The first key of a treasury has no row.
CREATE TABLE treasury_keys (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  -- The key is derived from it, so it is never reused.
  number integer NOT NULL CHECK (number > 0),
  address text NOT NULL CHECK (address ~ '^0x[0-9a-f]{40}$'),
  state text NOT NULL CHECK (state IN ('AWAITING_APPROVAL', 'ACTIVE', 'RETIRED', 'CANCELED')),
  reason text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX treasury_keys_number ON treasury_keys (platform_id, rail, number);
CREATE UNIQUE INDEX treasury_keys_waiting ON treasury_keys (platform_id, rail) WHERE state = 'AWAITING_APPROVAL';
CREATE UNIQUE INDEX treasury_keys_active ON treasury_keys (platform_id, rail) WHERE state = 'ACTIVE';
CREATE INDEX treasury_keys_page ON treasury_keys (platform_id, created_at DESC, id DESC);
`
